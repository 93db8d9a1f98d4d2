import type { GatewayContext } from '../context.ts'
import { wantsPage } from './accept.ts'
import type { Server } from './typed-server.ts'

const name = 'Render farm'
const about = 'Renders films and stills from a JSON description.'

/** GET /: describes the service with links; browsers get the dashboard, where it is built. */
export function rootRoute(
  server: Server,
  { publicUrl, dashboard }: Pick<GatewayContext, 'publicUrl' | 'dashboard'>,
): void {
  const at = { docs: `${publicUrl}/docs`, openapi: `${publicUrl}/openapi.json` }
  const links = { ...at, health: `${publicUrl}/healthz`, ready: `${publicUrl}/readyz` }
  const config = { credentials: [] }
  server.get('/', { schema: { hide: true }, config }, async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!wantsPage(request.headers.accept)) return { name, about, ...links }
    if (await dashboard.hasBuild()) return await dashboard.sendPage(reply)
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
<p>The dashboard is not built. <code>npm run dashboard:build</code> builds it.</p>
</html>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
