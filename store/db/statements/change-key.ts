import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { type KeyView, keyColumns } from './list-keys.ts'

type KeyOfAccount = { readonly accountId: string; readonly keyId: string }

/** Undefined: the account has no such key, or not any more. */
export async function renameKey(
  db: Db,
  { name, ...key }: KeyOfAccount & { readonly name: string },
): Promise<KeyView | undefined> {
  return await changeKey(db, key, sql`name = ${name}`)
}

/** From the next request on it is unknown, to every replica: nobody keeps what a key is good for. */
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
