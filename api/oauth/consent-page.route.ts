import { dressPage, readPageFile } from '../gateway/pages.ts'
import type { Server } from '../gateway/typed-server.ts'
import { consentPath } from './paths.ts'

const files = {
  [`${consentPath}/:uid`]: { file: 'consent.html', type: 'text/html' },
  [`${consentPath}.js`]: { file: 'consent.js', type: 'text/javascript' },
  [`${consentPath}.css`]: { file: 'consent.css', type: 'text/css' },
}

/** GET /oauth/consent/{uid}: the page on which a person lets an agent in, with its two files. */
export function consentPageRoutes(server: Server): void {
  const options = { schema: { hide: true }, config: { credentials: [] } }
  for (const [path, { file, type }] of Object.entries(files)) {
    server.get(path, options, async (_request, reply) => {
      await dressPage(reply, { type })
      return await readPageFile(new URL(`page/${file}`, import.meta.url))
    })
  }
}
