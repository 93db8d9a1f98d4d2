import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { getAccount } from '../../store/db/accounts/get-account.ts'
import type { Server } from '../gateway/typed-server.ts'

const Credits = Type.Object({
  balance: Type.Integer({ description: 'All that is owned, with what is held for running jobs' }),
  reserved: Type.Integer({ description: 'Held for running jobs' }),
  available: Type.Integer({ description: 'What can be spent now' }),
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
