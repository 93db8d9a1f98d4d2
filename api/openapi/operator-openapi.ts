import swagger from '@fastify/swagger'
import type { Server } from '../gateway/typed-server.ts'
import { withOperations } from './complete-document.ts'
import { type Described, describeParameters } from './openapi-operation.ts'

/** Address below which all routes of operators are. */
export const operatorPath = '/api/operator'

declare module 'fastify' {
  interface FastifyInstance {
    /** The document of the operators' API; absent where it is not served. */
    operatorSwagger?: () => object
  }
}

const description = `What the operators of the farm see and do. Sign in at \`${operatorPath}/auth/sign-in\`,
and send the access token as \`Authorization: Bearer\`.

Roles: a \`viewer\` reads, an \`operator\` also changes the fleet and jobs, an \`admin\` also changes accounts,
their money and other operators. Acts of an admin need the password again after 10 minutes
(\`${operatorPath}/auth/confirm\`); the refusal names the field \`password\` in \`details\`.

Each change takes a reason, \`why\`, and writes an act with the operator's email for \`${operatorPath}/audit\`. So
does reading a customer's request or output.`

/** Publishes /api/operator/openapi.json: a document of its own, so that customers' clients know none of it. */
export async function publishOperatorApi(
  server: Server,
  { publicUrl }: { publicUrl: string },
): Promise<void> {
  const routes = new Map<string, Described>()
  await server.register(swagger, {
    decorator: 'operatorSwagger' as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Render farm, for operators', version: '1', description },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: { operator: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
    transform({ schema, url, route: { method, config = {} } }) {
      if (!url.startsWith(operatorPath)) return { schema: { ...schema, hide: true }, url }
      const path = url.replace(/:(\w+)/g, '{$1}')
      const described = { method: String(method), schema, config }
      routes.set(`${described.method.toLowerCase()} ${path}`, described)
      return { schema: describeParameters(described), url }
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? withOperations(document.openapiObject, routes)
        : document.swaggerObject,
  })
  const hidden = { schema: { hide: true }, config: { credentials: [] } }
  server.get(`${operatorPath}/openapi.json`, hidden, async () => server.operatorSwagger?.())
}
