import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type KeyHolder = {
  readonly keyId: string
  readonly accountId: string
  readonly plan: string
}

/**
 * The account behind a key (its sha256), or undefined when the key is unknown or revoked.
 *
 * The use is noted once a minute: writing it on every request would make one hot row a key.
 */
export async function findKey(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  const { rows } = await sql<KeyHolder>`
    with used as (
      update api_keys set last_used_at = now()
      where sha256 = ${hash} and revoked_at is null
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select k.id as "keyId", k.account_id as "accountId", a.plan
    from api_keys k join accounts a on a.id = k.account_id
    where k.sha256 = ${hash} and k.revoked_at is null`.execute(db)
  return rows[0]
}
