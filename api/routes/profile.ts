import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { getAccount } from '../../store/db/statements/get-account.ts'
import { limitsOf } from '../plan.ts'
import { Problem } from '../problem.ts'
import type { Server } from '../typed-server.ts'

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
})

/** GET /api/user/profile: who the key belongs to. An account made by an operator has no email. */
export function profileRoute(server: Server): void {
  const schema = {
    tags: ['account'],
    response: { 200: Profile, 401: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'account' } as const
  server.get('/api/user/profile', { schema, config }, async (request) => {
    const account = await getAccount(request.db, request.account.accountId)
    if (!account) throw new FarmError('not_found', 'The account is gone')
    return {
      user: {
        id: account.id,
        email: null,
        firstName: account.name,
        lastName: '',
        emailVerified: false,
        createdAt: account.createdAt.toISOString(),
      },
      plan: { name: account.plan, limits: { ...limitsOf(account.plan) } },
      credits: { balance: account.creditsBalance, reserved: account.creditsReserved },
    }
  })
}
