import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { type KeyView, keyColumns } from './list-keys.ts'

type KeyOfAccount = { readonly accountId: string; readonly keyId: string }

/** Renames a key. Undefined: the account has no such key, or it was revoked. */
export async function renameKey(
  db: Db,
  { name, ...key }: KeyOfAccount & { readonly name: string },
): Promise<KeyView | undefined> {
  return await changeKey(db, key, sql`name = ${name}`)
}

/** Revokes a key from the next request on, in every replica: keys are never cached. */
export async function revokeKey(db: Db, key: KeyOfAccount): Promise<KeyView | undefined> {
  return await changeKey(db, key, sql`revoked_at = now()`)
}

async function changeKey(
  db: Db,
  { accountId, keyId }: KeyOfAccount,
  change: RawBuilder<unknown>,
): Promise<KeyView | undefined> {
  const { rows } = await sql<KeyView>`
    update api_keys set ${change}
    where id = ${keyId} and account_id = ${accountId} and revoked_at is null
    returning ${keyColumns}`.execute(db)
  return rows[0]
}
