import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns those of the agents' grants (ids) that have not ended, of any account. */
export async function listLiveGrants(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from agent_grants where id = any(${ids}::uuid[]) and revoked_at is null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
