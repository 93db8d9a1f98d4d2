import { sql } from 'kysely'
import type { KeyScope } from '../../../core/accounts/key-scopes.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

export type KeyHolder = {
  readonly keyId: string
  readonly accountId: string
  readonly plan: string
  readonly isSuspended: boolean
  /** null: everything. */
  readonly scopes: readonly KeyScope[] | null
  readonly expiresAt: Date | null
  readonly creditCap: number | null
}

/**
 * Finds the account of a key (its sha256); undefined when the key is unknown, revoked or expired.
 * Every request asks, and keys are never cached, so a revoked key stops at once (decision 0016).
 */
export async function findKey(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  return (await findKeys(db, [hash]))[0]
}

/** Finds several keys, each in its place. */
export async function findKeys(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly (KeyHolder | undefined)[]> {
  const { rows } = await sql<KeyHolder & { readonly sha256: Buffer }>`
    ${prepared('find-keys')} select k.sha256, k.id as "keyId", k.account_id as "accountId", a.plan,
      a.suspended_at is not null as "isSuspended", k.scopes, k.expires_at as "expiresAt", k.credit_cap as "creditCap"
    from api_keys k join accounts a on a.id = k.account_id
    where k.sha256 = any(${hashes}::bytea[]) and k.revoked_at is null
      and coalesce(k.expires_at > now(), true)`.execute(db)
  const holders = new Map(rows.map(({ sha256, ...holder }) => [sha256.toString('hex'), holder]))
  return hashes.map((hash) => holders.get(hash.toString('hex')))
}
