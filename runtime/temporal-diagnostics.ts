import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import type { TemporalServer } from './temporal.ts'

const answerTimeoutMs = 2_000
const defaultPort = 7233
/** HTTP/2 greeting: the preface and empty settings. */
const greeting = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
])
/** First byte of a TLS alert, the answer of a TLS-only server to plain HTTP/2. */
const alertByte = 0x15

const certificateCodes: readonly string[] = [
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_SIGNATURE_FAILURE'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'CERT_UNTRUSTED'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'INVALID_PURPOSE', 'INVALID_CA'],
]

/**
 * Explains in a sentence why Temporal cannot be reached; undefined when its server greets
 * correctly. The SDK's own errors only report a time-out.
 */
export async function diagnoseTemporal(server: TemporalServer): Promise<string | undefined> {
  if (!URL.canParse(`tcp://${server.address}`)) return undefined
  const socket = connect(server)
  const signal = AbortSignal.timeout(answerTimeoutMs)
  const isSecure = server.tls !== false
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal })
    socket.write(greeting)
    const [data] = await Promise.race([
      once(socket, 'data', { signal }),
      once(socket, 'end', { signal }),
    ])
    if (data instanceof Buffer && data[0] !== alertByte) return undefined
    if (isSecure) return refusal(server.address, 'ended the connection')
    return `Temporal's server at ${server.address} may speak TLS alone; set TEMPORAL_TLS to true`
  } catch (error) {
    return explain(server.address, error as NodeJS.ErrnoException)
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}

function connect({ address, tls: settings }: TemporalServer): net.Socket {
  const url = new URL(`tcp://${address}`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port || defaultPort)
  if (settings === false) return net.connect({ host, port })
  const { serverRootCACertificate: ca, clientCertPair, serverNameOverride } = settings
  const servername = serverNameOverride ?? (net.isIP(host) === 0 ? host : undefined)
  return tls.connect({
    ...{ host, port, ALPNProtocols: ['h2'] },
    ...(ca && { ca }),
    ...(clientCertPair && { cert: clientCertPair.crt, key: clientCertPair.key }),
    ...(servername && { servername }),
  })
}

function refusal(address: string, what: string): string {
  return `Temporal's server at ${address} ${what}; it may refuse the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH, or want one`
}

function explain(address: string, { name, code = name, message }: NodeJS.ErrnoException): string {
  const server = `Temporal's server at ${address}`
  if (certificateCodes.includes(code)) {
    return `${server} shows a certificate of an authority that is not trusted (${message}); TEMPORAL_TLS_SERVER_CA_CERT_PATH must name its authority`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `${server} shows a certificate for another name (${message}); TEMPORAL_TLS_SERVER_NAME must be one in it`
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return `${server} shows a certificate that is not valid now (${message})`
  }
  if (/^ERR_SSL_.*ALERT/.test(code)) return refusal(address, `refused the connection (${code})`)
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH)/.test(code) || code === 'EPROTO') {
    return `${server} does not speak TLS; set TEMPORAL_TLS to false, or name its port for TLS`
  }
  if (name === 'AbortError' || name === 'TimeoutError') {
    return `${server} did not answer within ${answerTimeoutMs / 1000} s`
  }
  return `${server} cannot be reached (${code})`
}
