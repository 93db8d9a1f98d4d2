import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns those of an account's keys, sessions and agents (ids) that are still accepted. */
export async function listLiveCredentials(
  db: Db,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from api_keys
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and revoked_at is null
      and coalesce(expires_at > now(), true)
    union all
    select id from sessions
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and ended_at is null
      and expires_at > now()
    union all
    select id from agent_grants
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and revoked_at is null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
