import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isPlanName } from '../../core/accounts/plans.ts'
import { FarmError } from '../../core/errors.ts'
import { planShares } from '../../core/queue/shares.ts'
import { type AccountView, getAccount } from '../../store/db/accounts/get-account.ts'
import { listUsers, type UserView } from '../../store/db/accounts/list-users.ts'
import { readPlanUse } from '../../store/db/accounts/read-plan-use.ts'
import { findKeyCredits } from '../../store/db/accounts/spend-key-credits.ts'
import type { ApiContext } from '../context.ts'
import type { Server } from '../gateway/typed-server.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

const used = (description: string) =>
  Type.Object({ used: Type.Number(), limit: Type.Number() }, { description })

const Usage = Type.Object({
  tasksAtOnce: used('Tasks of all jobs that run now'),
  storedBytes: used('Uploads, and media, bakes and segments that later jobs reuse'),
  requestsPerMinute: Type.Union(
    [used('Requests of the account that this minute has counted'), Type.Null()],
    { description: 'Null where the farm does not limit rates' },
  ),
  openJobs: Type.Integer({ description: 'Jobs that have not ended; no plan limits them' }),
})

const Query = Type.Object({
  usage: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds how much of the limits is used' }),
  ),
})

const Profile = Type.Object({
  user: Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: Nullable,
    firstName: Type.String(),
    lastName: Type.String(),
    emailVerified: Type.Boolean(),
    createdAt: Type.String({ format: 'date-time' }),
  }),
  plan: Type.Object({ name: Type.String(), limits: Type.Record(Type.String(), Type.Number()) }),
  credits: Type.Object({ balance: Type.Integer(), reserved: Type.Integer() }),
  keyCredits: Type.Union(
    [Type.Object({ cap: Type.Integer(), left: Type.Integer() }), Type.Null()],
    { description: 'Spending cap of the API key that asks, and what is left; null without one' },
  ),
  usage: Type.Optional(Usage),
})

const gigabyte = 1e9

/** GET /api/user/profile: the user who signed in or connected the agent, or the owner of the
 * key's account. */
export function profileRoute(server: Server, context: Pick<ApiContext, 'requestsOfMinute'>): void {
  const schema = {
    querystring: Query,
    tags: ['account'],
    response: { 200: Profile },
  }
  const config = { credentials: ['key', 'session'], scope: 'account' } as const
  server.get('/api/user/profile', { schema, config }, async (request) => {
    const account = await getAccount(request.db, request.account.accountId)
    if (!account) throw new FarmError('not_found', 'The account is gone')
    const users = await listUsers(request.db, account.id)
    const { credential } = request.account
    const isCaller = ({ id }: UserView) => credential.kind !== 'key' && credential.userId === id
    const keyCredits =
      credential.kind === 'key' ? await findKeyCredits(request.db, credential.keyId) : undefined
    return {
      user: showUser(account, users.find(isCaller) ?? users[0]),
      plan: { name: account.plan, limits: { ...request.account.limits } },
      credits: { balance: account.creditsBalance, reserved: account.creditsReserved },
      keyCredits: keyCredits ?? null,
      ...(request.query.usage && { usage: await usageOf(request, account) }),
    }
  })

  async function usageOf({ db, account: { limits } }: FastifyRequest, { id, plan }: AccountView) {
    const [use, requests] = await Promise.all([readPlanUse(db, id), context.requestsOfMinute(id)])
    if (!use) throw new FarmError('not_found', 'The account is gone')
    const { burst } = planShares[isPlanName(plan) ? plan : 'free']
    return {
      tasksAtOnce: { used: use.tasksRunning, limit: use.burst ?? burst },
      storedBytes: { used: use.storedBytes, limit: limits.storedGigabytes * gigabyte },
      requestsPerMinute:
        requests === null ? null : { used: requests, limit: limits.requestsPerMinute },
      openJobs: use.jobsOpen,
    }
  }
}

/** An account made by an operator may have no users; its own data are shown then. */
function showUser(account: AccountView, user: UserView | undefined) {
  const { createdAt, ...shown } = user ?? {
    ...{ id: account.id, email: null, firstName: account.name, lastName: '' },
    ...{ emailVerified: false, createdAt: account.createdAt },
  }
  return { ...shown, createdAt: createdAt.toISOString() }
}
