import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { getAccount } from '../../store/db/accounts/get-account.ts'
import type { Server } from '../gateway/typed-server.ts'

const Credits = Type.Object({
  balance: Type.Integer({
    description: 'All credits of the account, those held for running jobs included',
  }),
  reserved: Type.Integer({ description: 'Credits held for running jobs' }),
  available: Type.Integer({ description: 'Credits that can be spent now' }),
})

/** GET /api/credits/balance */
export function creditsRoute(server: Server): void {
  const schema = {
    tags: ['account'],
    response: { 200: Credits },
  }
  const config = { credentials: ['key', 'session'], scope: 'account' } as const
  server.get('/api/credits/balance', { schema, config }, async (request) => {
    const account = await getAccount(request.db, request.account.accountId)
    if (!account) throw new FarmError('not_found', 'The account is gone')
    const { creditsBalance: balance, creditsReserved: reserved } = account
    return { balance, reserved, available: balance - reserved }
  })
}
