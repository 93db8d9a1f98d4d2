import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Identity } from '../../runtime/authority.ts'

export type SeenCall = {
  readonly path: string
  readonly agent: string
  readonly authorization: string | undefined
}

/**
 * Starts a Temporal server behind TLS 1.3. It accepts callers with a certificate of the authority,
 * forwards their calls to the real server in plain text, and records them.
 */
export async function startTemporalProxy({
  address,
  ca,
  identity: { cert, key },
}: {
  address: string
  ca: string
  identity: Identity
}): Promise<{ port: number; calls: readonly SeenCall[]; stop(): void }> {
  const calls: SeenCall[] = []
  const target = http2.connect(`http://${address}`)
  const sessions = new Set<http2.ServerHttp2Session>()
  const server = http2.createSecureServer({ ca, cert, key, requestCert: true })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session)).on('error', () => undefined)
  })
  server.on('stream', (stream, { 'transfer-encoding': _, ...headers }) => {
    const { ':path': path = '', 'user-agent': agent = '', authorization } = headers
    calls.push({ path, agent, authorization })
    passOn(stream, target.request({ ...headers, ':scheme': 'http' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    stop() {
      for (const session of sessions) session.destroy()
      server.close()
      target.destroy()
    },
  }
}

function passOn(from: http2.ServerHttp2Stream, to: http2.ClientHttp2Stream): void {
  let trailers: http2.IncomingHttpHeaders = {}
  from.on('error', () => to.close(http2.constants.NGHTTP2_CANCEL))
  from.on('aborted', () => to.close(http2.constants.NGHTTP2_CANCEL))
  to.on('error', () => from.close(http2.constants.NGHTTP2_CANCEL))
  from.pipe(to)
  to.on('response', (headers, flags) => {
    const endStream = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0
    if (from.destroyed) return
    from.respond(headers, { endStream, waitForTrailers: !endStream })
    if (!endStream) to.pipe(from)
  })
  to.on('trailers', (sent) => {
    trailers = sent
  })
  from.on('wantTrailers', () => from.sendTrailers(trailers))
}
