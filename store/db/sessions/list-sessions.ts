import type { Db } from '../database.ts'

export type SessionView = {
  readonly id: string
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly userAgent: string
}

/** Lists a user's open sessions, the one used last first. */
export async function listSessions(
  db: Db,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<readonly SessionView[]> {
  return await db
    .selectFrom('sessions')
    .select([
      'id',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
      'user_agent as userAgent',
    ])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', new Date())
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()
}
