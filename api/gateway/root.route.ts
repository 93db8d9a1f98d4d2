import type { GatewayContext } from '../context.ts'
import type { Server } from './typed-server.ts'

const name = 'Render farm'
const about = 'Renders films and stills from a JSON description.'

/** GET /: describes the service with links; as HTML for clients that ask for a page. */
export function rootRoute(server: Server, { publicUrl }: Pick<GatewayContext, 'publicUrl'>): void {
  const at = { docs: `${publicUrl}/docs`, openapi: `${publicUrl}/openapi.json` }
  const links = { ...at, health: `${publicUrl}/healthz`, ready: `${publicUrl}/readyz` }
  const config = { credentials: [] }
  server.get('/', { schema: { hide: true }, config }, async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!wantsPage(request.headers.accept)) return { name, about, ...links }
    reply.type('text/html; charset=utf-8')
    return pageOf(at)
  })
}

function pageOf({ docs, openapi }: { docs: string; openapi: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<h1>${name}</h1>
<p>${about}</p>
<ul>
<li><a href="${escaped(docs)}">Documentation</a></li>
<li><a href="${escaped(openapi)}">OpenAPI document</a></li>
</ul>
</html>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** True when HTML is named and preferred at least as much as JSON (RFC 9110, 12.5.1). */
function wantsPage(accept = ''): boolean {
  const qualities = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((each) => each.startsWith('q='))?.slice(2)
      return [type, quality === undefined ? 1 : Number(quality)] as const
    }),
  )
  const html = qualities.get('text/html') ?? 0
  return html > 0 && html >= (qualities.get('application/json') ?? 0)
}
