import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { GatewayContext } from '../context.ts'
import { acceptsGzip } from '../gateway/accepts-gzip.ts'
import { grantedRequests, judgeGrant } from '../gateway/grants.ts'
import { dressPage, pagePolicy, readPageFile } from '../gateway/pages.ts'
import type { Server } from '../gateway/typed-server.ts'

/** The player appends the film's pieces from memory. */
const policy = pagePolicy({ mediaSrc: ["'self'", 'blob:'] })

const files = {
  'watch.js': 'text/javascript',
  'player.js': 'text/javascript',
  'watch.css': 'text/css',
}

const require = createRequire(import.meta.url)
const { version } = require('hls.js/package.json') as { version: string }
/** Name of the library's file: another version is another file, so that browsers keep it for good. */
const libraryName = `hls-${version}.js`

/** GET /watch/{jobId}/{grant}: the page that plays a film while it renders, with its files. */
export function watchPageRoutes(server: Server, { playLinks }: GatewayContext): void {
  const options = { schema: { hide: true }, config: { credentials: [] } }

  const isGranted = grantedRequests({ kind: 'play', of: 'jobId' }, playLinks)
  const granted = { ...options, config: { credentials: [], isGranted } }
  server.get('/watch/:jobId/:grant', granted, async (request, reply) => {
    const { jobId, grant } = request.params as { jobId: string; grant: string }
    const permission = judgeGrant(
      { kind: 'play', id: jobId },
      { grant, now: new Date(), secret: playLinks.secret },
    )
    await dressPage(reply, { type: 'text/html', policy })
    // The page itself says what is wrong with its address.
    reply.code(permission === 'granted' ? 200 : 403)
    return (await pageFile('watch.html')).replace('{{ library }}', `../${libraryName}`)
  })

  for (const [name, type] of Object.entries(files)) {
    server.get(`/watch/${name}`, options, async (_request, reply) => {
      await dressPage(reply, { type, policy })
      return await pageFile(name)
    })
  }

  server.get(`/watch/${libraryName}`, options, async (request, reply) => {
    const { plain, zipped } = await libraryFile()
    const isZipped = acceptsGzip(request)
    if (isZipped) reply.header('content-encoding', 'gzip')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    reply.header('vary', 'accept-encoding').type('text/javascript; charset=utf-8')
    return isZipped ? zipped : plain
  })
}

async function pageFile(name: string): Promise<string> {
  return await readPageFile(new URL(`watch-page/${name}`, import.meta.url))
}

let library: Promise<{ plain: Buffer; zipped: Buffer }> | undefined

/** Reads hls.js when a browser first needs it, and keeps it. */
async function libraryFile() {
  library ??= readLibrary()
  return await library
}

async function readLibrary() {
  const plain = await readFile(require.resolve('hls.js/dist/hls.min.js'))
  return { plain, zipped: await promisify(gzip)(plain) }
}
