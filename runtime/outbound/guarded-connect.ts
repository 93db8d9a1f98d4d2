import { lookup } from 'node:dns/promises'
import net from 'node:net'
import tls from 'node:tls'
import type { buildConnector } from 'undici'
import { isPublicAddress } from '../../core/project/public-address.ts'

export type Address = { readonly address: string; readonly family: number }

/** Looks up every address of a host name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly Address[]>

export type Dial = (options: net.TcpNetConnectOpts) => net.Socket

/** The host resolves, or would have connected, to an address outside the open internet. */
export class AddressRefused extends Error {
  constructor(host: string) {
    super(`A host must have public addresses only. Got ${host}, which has another`)
    this.name = 'AddressRefused'
  }
}

const connectTimeoutMs = 10_000

/**
 * undici's `connect` for untrusted hosts. An `Agent({ connect: { lookup } })` alone is bypassed by
 * IP literals, which Node never looks up. Hence three checks: the literal, every answer of the
 * single look-up whose answers are dialled, and the peer's address once connected. `trustedHosts`
 * (`host:port`) are dialled unchecked.
 */
export function guardedConnect({
  trustedHosts,
  resolve = resolveAll,
  dial = (options) => net.connect(options),
}: {
  trustedHosts: readonly string[]
  resolve?: Resolve | undefined
  dial?: Dial | undefined
}): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    const trusted = trustedHosts.includes(`${options.hostname}:${port}`)
    connectChecked({ ...options, port, trusted, resolve, dial }).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

type Target = {
  hostname: string
  port: number
  protocol: string
  servername?: string | undefined
  trusted: boolean
  resolve: Resolve
  dial: Dial
}

async function connectChecked(target: Target): Promise<net.Socket> {
  const addresses = await addressesOf(target)
  const plain = target.dial({
    host: target.hostname,
    port: target.port,
    noDelay: true,
    lookup: (_host, options, answer) => {
      const [first] = addresses
      if (!first) return answer(new Error('the host has no address'), '')
      if (options.all) return answer(null, [...addresses])
      answer(null, first.address, first.family)
    },
  })
  try {
    await once(plain, 'connect')
    if (!target.trusted && !isPublicAddress(plain.remoteAddress ?? '')) {
      throw new AddressRefused(target.hostname)
    }
    if (target.protocol !== 'https:') return plain
    const secure = tls.connect({
      socket: plain,
      ALPNProtocols: ['http/1.1'],
      // SNI never carries an IP literal, but the certificate must be for it.
      ...(net.isIP(target.hostname)
        ? { host: target.hostname }
        : { servername: serverName(target) }),
    })
    // An aborted handshake emits another error after it was given up; nothing else listens then.
    secure.on('error', () => plain.destroy())
    await once(secure, 'secureConnect')
    return secure
  } catch (error) {
    plain.destroy()
    throw error
  }
}

/** Removes the root's dot from a server name, as TLS requires (RFC 6066, 3). */
function serverName({ servername, hostname }: Target): string {
  return (servername || hostname).replace(/\.$/, '')
}

async function addressesOf(target: Target): Promise<readonly Address[]> {
  const { hostname, trusted } = target
  const family = net.isIP(hostname)
  const addresses = family ? [{ address: hostname, family }] : await target.resolve(hostname)
  if (!trusted && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new AddressRefused(hostname)
  }
  return addresses
}

function once(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no connection within ${connectTimeoutMs / 1000} s`)),
      connectTimeoutMs,
    )
    const settle = (error?: Error) => {
      clearTimeout(timer)
      socket.off('error', settle)
      if (error) reject(error)
      else resolve()
    }
    socket.once('error', settle)
    socket.once(event, () => settle())
  })
}

async function resolveAll(host: string): Promise<readonly Address[]> {
  return await lookup(host, { all: true, order: 'verbatim' })
}
