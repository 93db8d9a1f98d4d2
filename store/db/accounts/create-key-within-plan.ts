import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { createKey, type NewKey } from './create-key.ts'

/**
 * Creates a key, unless the account has `limit` live ones. The account is locked, so that
 * concurrent requests are counted one after the other.
 */
export async function createKeyWithinPlan(
  db: Db,
  { limit, ...key }: NewKey & { readonly limit: number },
): Promise<Awaited<ReturnType<typeof createKey>> | undefined> {
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${key.accountId} for update`.execute(tx)
    const { rows } = await sql<{ live: number }>`
      select count(*) as live from api_keys
      where account_id = ${key.accountId} and revoked_at is null
        and coalesce(expires_at > now(), true)`.execute(tx)
    return (rows[0]?.live ?? 0) < limit ? await createKey(tx, key) : undefined
  })
}
