import { Resolver } from 'node:dns/promises'
import net from 'node:net'
import type { Address, Resolve } from './guarded-connect.ts'

const timeoutMs = 2_000
const tries = 2

/**
 * Looks names up in the DNS alone, without a thread for each. Node's `lookup` has four threads for
 * the whole process, so a few names whose servers never answer would delay everybody else's beyond
 * their time-outs. It skips the hosts file and search domains, which lead nowhere that a customer
 * may reach. `servers`: the system's, except in tests.
 */
export function createPublicResolve({ servers }: { servers?: readonly string[] } = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers) resolver.setServers([...servers])
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [v4, v6].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason
    return found.map((address): Address => ({ address, family: net.isIP(address) }))
  }
}
