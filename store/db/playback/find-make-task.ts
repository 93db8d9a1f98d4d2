import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds the task that makes a whole job, if one does. `draft`: null where the store has it. */
export async function findMakeTask(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<{ readonly draft: string | null } | undefined> {
  const { rows } = await sql<{ draft: string | null }>`
    select spec->>'draft' as draft from tasks
    where job_id = ${jobId} and account_id = ${accountId} and kind = 'make'`.execute(db)
  return rows[0]
}
