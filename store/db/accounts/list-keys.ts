import { sql } from 'kysely'
import type { KeyScope } from '../../../core/accounts/key-scopes.ts'
import type { Db } from '../database.ts'

export type KeyView = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly KeyScope[] | null
  readonly expiresAt: Date | null
  readonly creditCap: number | null
  /** Counted for keys with a cap only. */
  readonly creditsSpent: number
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

export const keyColumns = sql`id, name, prefix, scopes, expires_at as "expiresAt", credit_cap as "creditCap",
  credits_spent as "creditsSpent", created_at as "createdAt", last_used_at as "lastUsedAt"`

/** Lists an account's keys that were not revoked, newest first. */
export async function listKeys(db: Db, accountId: string): Promise<readonly KeyView[]> {
  const { rows } = await sql<KeyView>`
    select ${keyColumns} from api_keys where account_id = ${accountId} and revoked_at is null
    order by created_at desc, id`.execute(db)
  return rows
}
