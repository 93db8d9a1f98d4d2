import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { KeyScope } from '../../../core/accounts/key-scopes.ts'
import { sha256Bytes } from '../../../runtime/sha256.ts'
import type { Db } from '../database.ts'
import { type KeyView, keyColumns } from './list-keys.ts'

const keyBytes = 32
/** Enough to tell keys apart in a list, useless for guessing one. */
const prefixLength = 12

export type NewKey = {
  readonly accountId: string
  readonly name: string
  /** Absent = everything. */
  readonly scopes?: readonly KeyScope[]
  /** Absent = never. */
  readonly expiresAt?: Date
  /** Credits that its jobs may cost in all; absent = as many as the account has. */
  readonly creditCap?: number
}

/** Creates an API key. The key itself is only in this answer; the table holds its sha256. */
export async function createKey(
  db: Db,
  { accountId, name, scopes, expiresAt, creditCap }: NewKey,
): Promise<KeyView & { readonly key: string }> {
  const key = `svc_${randomBytes(keyBytes).toString('hex')}`
  const prefix = key.slice(0, prefixLength)
  const { rows } = await sql<KeyView>`
    insert into api_keys (account_id, name, sha256, prefix, scopes, expires_at, credit_cap)
    values (${accountId}, ${name}, ${hashKey(key)}, ${prefix}, ${scopes ?? null}::text[],
      ${expiresAt ?? null}, ${creditCap ?? null})
    returning ${keyColumns}`.execute(db)
  const [made] = rows
  if (!made) throw new Error('A key that was inserted must be answered')
  return { ...made, key }
}

/**
 * Hashes a key for the table. A plain hash is enough: a key has 256 random bits, so a slow hash
 * would protect nothing.
 */
export function hashKey(key: string): Buffer {
  return sha256Bytes(key)
}
