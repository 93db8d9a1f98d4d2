import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import { openToAnyone } from '../gateway/access.ts'
import { docsPolicy } from '../gateway/security-headers.ts'
import type { Server } from '../gateway/typed-server.ts'
import { withOperations } from './complete-document.ts'
import exampleAnswers from './example-answers.json' with { type: 'json' }
import { exampleRequests } from './example-requests.ts'
import { type Described, describeParameters, type Examples } from './openapi-operation.ts'
import { operations, tags } from './operations.ts'
import { operatorPath } from './operator-openapi.ts'
import { webhookOperations } from './webhooks.ts'

const description = `Renders films and stills from a JSON description.

\`\`\`sh
cat > film.json <<'END'
{ "payload": {
    "duration": 3,
    "visuals": [{ "type": "TEXT", "text": "Hello {{name}}" }],
    "variables": { "name": "world" } } }
END
curl "$FARM_URL/api/render/api-key" -d @film.json \\
  -H "x-api-key: $FARM_API_KEY" \\
  -H 'content-type: application/json'
curl "$FARM_URL/api/jobs/JOB_ID" \\
  -H "x-api-key: $FARM_API_KEY"
\`\`\`

Every error is \`application/problem+json\` (RFC 9457). \`code\` never changes its meaning. \`details\` lists
every fault of a request with its path, the rule and the value seen. \`RateLimit-*\` headers state the
rate limit. A 429 response states in \`Retry-After\` when to try again.`

/**
 * Publishes /openapi.json, and /docs to read it: the schemas of the routes and of the request
 * language, which also check the requests.
 */
export async function publishOpenApi(
  server: Server,
  { publicUrl }: { publicUrl: string },
): Promise<void> {
  const routes = new Map<string, Described>()
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Render farm',
        version: '1',
        description,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      tags: [...tags],
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: 'API key: svc_ and 64 hex digits',
          },
          session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        },
      },
    },
    transform({ schema, url, route: { method, config = {} } }) {
      if (url.startsWith(operatorPath)) return { schema: { ...schema, hide: true }, url }
      const path = url.replace(/:(\w+)/g, '{$1}')
      const described = { method: String(method), schema, config }
      routes.set(`${described.method.toLowerCase()} ${path}`, described)
      const { id: operationId, ...words } = operations[`${described.method} ${path}`] ?? {}
      const named = { ...words, ...(operationId && { operationId }) }
      return { schema: { ...describeParameters(described), ...named }, url }
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? withOperations(document.openapiObject, routes, {
            ...{ examplesOf, webhooks: webhookOperations },
          })
        : document.swaggerObject,
  })
  const hidden = { schema: { hide: true }, config: { credentials: [] } }
  server.get('/openapi.json', hidden, async () => server.swagger())
  await server.register(async (open: Server) => {
    openToAnyone(open)
    open.addHook('onRequest', async (_request, reply) => reply.helmet(docsPolicy))
    await open.register(scalar, { routePrefix: '/docs', configuration: referencePage })
  })
}

/**
 * Loads nothing from elsewhere: no fonts, no telemetry, no proxy for requests. Its maker's offers
 * to publish the document are off.
 */
const referencePage = {
  url: '/openapi.json',
  title: 'Render farm',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  defaultOpenAllTags: true,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
} as const

/**
 * Finds the examples of an `operation` (method and path, as in the document). The counterpart for
 * signed-in users shares them.
 */
function examplesOf(operation: string): Examples {
  const answers: Readonly<Record<string, unknown>> = exampleAnswers
  const keyed = `${operation}/api-key`
  return {
    request: exampleRequests[operation] ?? exampleRequests[keyed],
    answer: answers[operation] ?? answers[keyed],
  }
}
