import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Present states of an account's jobs; jobs that it does not have are left out. */
export async function statesOfJobs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<ReadonlyMap<string, JobState>> {
  if (jobIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; state: JobState }>`
    ${prepared('states-of-jobs')} select id, state from jobs
    where id = any(${jobIds}::uuid[]) and account_id = ${accountId}`.execute(db)
  return new Map(rows.map(({ id, state }) => [id, state]))
}
