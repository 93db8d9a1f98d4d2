import type { GatewayContext } from '../context.ts'
import type { Server } from '../gateway/typed-server.ts'

/** GET /llms.txt: tells a language model that reads this site where to find what it needs. */
export function llmsRoute(
  server: Server,
  { publicUrl, mcpUrl }: Pick<GatewayContext, 'publicUrl' | 'mcpUrl'>,
): void {
  const text = llmsText({ publicUrl, mcpUrl })
  const config = { credentials: [] }
  server.get('/llms.txt', { schema: { hide: true }, config }, async (_request, reply) => {
    reply.type('text/markdown; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return text
  })
}

function llmsText({ publicUrl, mcpUrl }: { publicUrl: string; mcpUrl: string }): string {
  return `# Render farm

> Renders films and stills from a JSON description: scenes, pictures, clips, HTML text, SVG, sound, captions. Variables make one template thousands of films.

With tools: connect to ${mcpUrl} (MCP, OAuth sign-in or an API key in X-Api-Key).
Without tools: send JSON to ${publicUrl}/api with an API key in the header X-Api-Key.

## Reference

- [OpenAPI document](${publicUrl}/openapi.json): every route with an example
- [JSON Schema of a render request](${publicUrl}/api/render/schema)
- [Elements of a project](${publicUrl}/api/render/elements): fields, rules and an example of each
- [Examples](${publicUrl}/api/library/examples): whole projects; [one picture of them](${publicUrl}/api/library/examples/sheet); q=WORDS searches both

## Way to a film

1. POST ${publicUrl}/api/render/validate/api-key with {"payload": …}: every fault by path, warnings, price. Free.
2. POST ${publicUrl}/api/render/preview with {"payload": …}: a few moments of the film on one JPEG. Free. Look at it before you pay.
3. POST ${publicUrl}/api/quotes: fixes the price for 15 minutes. Free. Show it to the person.
4. POST ${publicUrl}/api/quotes/QUOTE_ID/render: renders it once, however often it is sent.
5. GET ${publicUrl}/api/jobs/JOB_ID: state, progress, the file's address.

A draft keeps a payload while you work on it, also with faults: POST ${publicUrl}/api/projects stores one, PATCH ${publicUrl}/api/projects/PROJECT_ID changes parts of it.
`
}
