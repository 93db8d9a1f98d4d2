import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { type AccountView, getAccount } from '../../store/db/accounts/get-account.ts'
import { listUsers, type UserView } from '../../store/db/accounts/list-users.ts'
import { findKeyCredits } from '../../store/db/accounts/spend-key-credits.ts'
import type { Server } from '../gateway/typed-server.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

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
})

/** GET /api/user/profile: the user who signed in or connected the agent, or the owner of the
 * key's account. */
export function profileRoute(server: Server): void {
  const schema = {
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
    }
  })
}

/** An account made by an operator may have no users; its own data are shown then. */
function showUser(account: AccountView, user: UserView | undefined) {
  const { createdAt, ...shown } = user ?? {
    ...{ id: account.id, email: null, firstName: account.name, lastName: '' },
    ...{ emailVerified: false, createdAt: account.createdAt },
  }
  return { ...shown, createdAt: createdAt.toISOString() }
}
