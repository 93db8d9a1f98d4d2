import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type FoundKey = {
  readonly id: string
  readonly prefix: string
  readonly name: string
  readonly accountId: string
  readonly account: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/**
 * Finds keys of all accounts by their beginning, revoked ones too, to identify the owner of a
 * leaked key.
 */
export async function findKeysByPrefix(db: Db, prefix: string): Promise<readonly FoundKey[]> {
  const { rows } = await sql<FoundKey>`
    select k.id, k.prefix, k.name, k.account_id as "accountId", a.name as account,
      k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt",
      k.revoked_at as "revokedAt"
    from api_keys k join accounts a on a.id = k.account_id
    where starts_with(k.prefix, ${prefix}) or starts_with(${prefix}, k.prefix)
    order by k.created_at desc limit 100`.execute(db)
  return rows
}
