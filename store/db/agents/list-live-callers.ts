import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns those of the agents' grants and keys (ids), of any account, that may still call. */
export async function listLiveCallers(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from agent_grants where id = any(${ids}::uuid[]) and revoked_at is null
    union all
    select k.id from api_keys k join accounts a on a.id = k.account_id
    where k.id = any(${ids}::uuid[]) and k.revoked_at is null and a.suspended_at is null
      and coalesce(k.expires_at > now(), true)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
