import swagger from '@fastify/swagger'
import { requestOpenApiSchemas } from '../core/project/schema/publish.ts'
import type { Server } from './typed-server.ts'

const description = 'Renders films and stills from a JSON description.'

/** /openapi.json: the routes' own schemas and the request language's, which the validator reads too. */
export async function publishOpenApi(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Render farm', version: '1', description },
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
        schemas: requestOpenApiSchemas() as Record<string, object>,
      },
    },
  })
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger())
}
