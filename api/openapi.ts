import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import { requestOpenApiSchemas } from '../core/project/schema/publish.ts'
import { openToAnyone } from './access.ts'
import { docsPolicy } from './browsers.ts'
import { Problem } from './problem.ts'
import type { Server } from './typed-server.ts'

const description = `Renders films and stills from a JSON description.

Every error is \`application/problem+json\` with a \`code\` that never changes its meaning; docs/errors.md,
beside the service's source, lists them all.`

/** Routes whose body the language's own reader checks, with the schema it checks by. */
const bodies = [
  ['post', '/api/render', 'RenderRequest'],
  ['post', '/api/render/api-key', 'RenderRequest'],
  ['post', '/api/render/validate/api-key', 'RenderRequest'],
  ['post', '/api/credits/estimate', 'RenderRequest'],
  ['post', '/api/render/bulk', 'BulkRequest'],
  ['post', '/api/render/bulk/api-key', 'BulkRequest'],
  ['post', '/api/templates', 'NewTemplate'],
  ['put', '/api/templates/{id}', 'TemplateChange'],
  ['post', '/api/templates/{id}/preview', 'TemplatePreview'],
] as const

/** /openapi.json, and /docs to read it by: the routes' own schemas and the request language's, which the reader checks by. */
export async function publishOpenApi(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Render farm', version: '1', description },
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        },
      },
    },
    refResolver: {
      buildLocalReference: ({ $id }, _uri, _fragment, i) => String($id ?? `def-${i}`),
    },
    transform: ({ schema, url, route }) => ({ schema: withConfig(schema, route.config), url }),
    transformObject: (document) =>
      'openapiObject' in document ? withLanguage(document.openapiObject) : document.swaggerObject,
  })
  const hidden = { schema: { hide: true }, config: { credentials: [] } }
  server.get('/openapi.json', hidden, async () => server.swagger())
  await server.register(async (open: Server) => {
    openToAnyone(open)
    open.addHook('onRequest', async (_request, reply) => reply.helmet(docsPolicy))
    await open.register(scalar, { routePrefix: '/docs', configuration: referencePage })
  })
}

/** Nothing from elsewhere: no fonts, no telemetry, no proxy that requests would go through. */
const referencePage = {
  url: '/openapi.json',
  title: 'Render farm',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  agent: { disabled: true },
} as const

/** What a route says of its callers and its body, and the answers to those who may not call. */
function withConfig(schema: FastifySchema, config: FastifyContextConfig = {}): FastifySchema {
  const { credentials = [], body } = config
  if (!schema || (credentials.length === 0 && !body)) return schema
  const refusals = {
    ...(credentials.length > 0 && { 401: Problem, 429: Problem }),
    ...(credentials.includes('key') && { 403: Problem }),
  }
  return {
    ...schema,
    ...(body && { body }),
    security: credentials.map((kind) => ({ [kind]: [] })),
    response: { ...(schema.response as object), ...refusals },
  }
}

type Document = {
  components?: { schemas?: Record<string, unknown> }
  paths?: Record<string, { post?: object; put?: object } | undefined>
}

/** Added afterwards: the language's references are OpenAPI's already, and would be rewritten. */
function withLanguage<D extends object>(document: D): D {
  const { components, paths = {} } = document as Document
  const described = { ...paths }
  for (const [method, path, name] of bodies) {
    const schema = { $ref: `#/components/schemas/${name}` }
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    const routes = described[path]
    described[path] = { ...routes, [method]: { ...routes?.[method], requestBody } }
  }
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...components?.schemas, ...requestOpenApiSchemas() },
    },
    paths: described,
  }
}
