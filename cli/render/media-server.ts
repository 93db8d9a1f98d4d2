import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

export type MediaServer = {
  /** Host for FARM_TRUSTED_HOSTS. */
  readonly host: string
  /** Serves a file from now on and returns its address. */
  offer(file: string): string
  close(): void
}

/**
 * Serves exactly the offered files, on 127.0.0.1 only, each at an address that cannot be guessed:
 * other users of this machine can connect, too. It sends ETags and answers 304 to a caller that has
 * the file already.
 */
export async function startMediaServer(): Promise<MediaServer> {
  const files = new Map<string, string>()
  const server = createServer((request, response) => {
    answer(files, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    offer(file) {
      const path = `/${randomBytes(16).toString('hex')}/${encodeURIComponent(basename(file))}`
      files.set(path, file)
      return `http://${host}${path}`
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  files: ReadonlyMap<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = files.get(request.url ?? '')
  if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(404).end()
    return
  }
  const { size, mtimeMs } = await stat(file)
  const etag = `"${mtimeMs.toString(36)}-${size.toString(36)}"`
  response.setHeader('etag', etag)
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  response.writeHead(200, {
    'content-length': size,
    'content-type': 'application/octet-stream',
  })
  if (request.method === 'HEAD') response.end()
  else
    createReadStream(file)
      .once('error', () => response.destroy())
      .pipe(response)
}
