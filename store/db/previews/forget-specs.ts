import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Empties what the tasks of ended previews were asked: it holds the draft's addresses and texts, and
 * no task of an ended job is given out again.
 */
export async function forgetSpecs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<void> {
  await sql`
    ${prepared('forget-specs')} with ended as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select id from tasks where job_id = any(${jobIds}::uuid[]) and account_id = ${accountId}
      order by id for update
    )
    update tasks set spec = '{}'::jsonb from ended where tasks.id = ended.id`.execute(db)
}
