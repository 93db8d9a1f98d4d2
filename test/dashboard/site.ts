import type { ApiConfig } from '../../api/config.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { signIn as addUser, password } from '../api/accounts.ts'
import { startGateway } from '../api/gateway.ts'

/** Folder of the dashboard as the set-up builds it. */
export const built = new URL('../../out/dashboard', import.meta.url).pathname

export type Site = Awaited<ReturnType<typeof openSite>>

/** Starts a real gateway that serves the built dashboard at an address of its own. */
export async function openSite(changes: Partial<ApiConfig> = {}) {
  const port = (await freePorts(1))[0] ?? 0
  const origin = `http://127.0.0.1:${port}`
  // Examples with media are in the library where their addresses are trusted.
  const trustedHosts = [`127.0.0.1:${port}`]
  const served = { publicUrl: origin, dashboardFolder: built, trustedHosts }
  const gateway = await startGateway({ ...served, rateLimits: 'off', ...changes })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  return {
    origin,
    gateway,
    /** Creates an account and a user of it, who may sign in. */
    async user(credits = 10_000) {
      const customer = await gateway.customer(credits)
      return { customer, signsIn: await this.userOf(customer.accountId) }
    },
    /** Creates another user of an account. */
    async userOf(accountId: string) {
      const { email } = await addUser(gateway, accountId)
      return { url: origin, email, password }
    },
    /** Starts the api again at the same address, over the same database. */
    async restart(changes: Partial<ApiConfig> = {}) {
      const replica = await gateway.startReplica({ ...served, rateLimits: 'off', ...changes })
      await replica.server.listen({ port, host: '127.0.0.1' })
      return replica
    },
  }
}
