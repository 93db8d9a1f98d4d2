import { type Server, ServerCredentials } from '@grpc/grpc-js'
import { requireTls13, type TlsFiles } from '../runtime/tls.ts'

/** Time for running calls to end before their connections are cut. */
const closeGraceMs = 5_000

/** Plaintext without TLS: config.ts keeps it on this machine unless told otherwise. */
export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  requireTls13()
  const pair = { private_key: tls.key, cert_chain: tls.cert }
  return ServerCredentials.createSsl(tls.ca, [pair], true)
}

/** Listens; port 0 takes any free one. @returns the port */
export function bindServer(
  server: Server,
  { host, port, credentials }: { host: string; port: number; credentials: ServerCredentials },
): Promise<number> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), closeGraceMs)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
