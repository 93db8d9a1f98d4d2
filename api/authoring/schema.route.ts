import { Type } from 'typebox'
import { requestJsonSchema } from '../../core/project/schema/publish.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'

const Query = Type.Object({
  target: Type.Optional(
    Type.Union([Type.Literal('project'), Type.Literal('render-request')], {
      default: 'render-request',
    }),
  ),
})

const JsonSchema = Type.Record(Type.String(), Type.Unknown())

/** GET /api/render/schema, also with /api-key: the request language as JSON Schema 2020-12. */
export function schemaRoute(server: Server): void {
  const schema = {
    querystring: Query,
    tags: ['render'],
    response: {
      200: { content: { 'application/schema+json': { schema: JsonSchema } } },
      400: Problem,
    },
  }
  for (const path of ['/api/render/schema/api-key', '/api/render/schema']) {
    server.get(path, { schema, config: { credentials: [] } }, async (request, reply) => {
      reply.type('application/schema+json')
      return requestJsonSchema(request.query.target ?? 'render-request')
    })
  }
}
