import { sql } from 'kysely'
import type { Db } from '../database.ts'

const namesMost = 5

/** Counts the jobs submitted with a key in the last hour; `names`: those of the newest, each once. */
export async function getKeyLastHour(
  db: Db,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<{ readonly jobs: number; readonly names: string[] }> {
  const { rows } = await sql<{ name: string; jobs: number }>`
    select name, sum(count(*)) over ()::bigint as jobs from jobs
    where account_id = ${accountId} and api_key_id = ${keyId}
      and created_at > now() - interval '1 hour'
    group by name order by max(created_at) desc, name limit ${namesMost}`.execute(db)
  return { jobs: rows[0]?.jobs ?? 0, names: rows.map(({ name }) => name) }
}
