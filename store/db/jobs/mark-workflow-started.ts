import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

type StartedJob = { readonly accountId: string; readonly jobId: string }

/** Records that Temporal has accepted the job's workflow. */
export async function markWorkflowStarted(db: Db, job: StartedJob): Promise<void> {
  await markWorkflowsStarted(db, [job])
}

/** Marks several jobs in one statement. Rows are locked in one order: no deadlocks. */
export async function markWorkflowsStarted(db: Db, jobs: readonly StartedJob[]): Promise<void> {
  await sql`
    ${prepared('mark-workflows-started')} update jobs set workflow_started_at = now() from (
      select jobs.id from jobs join unnest(
        ${jobs.map(({ jobId }) => jobId)}::uuid[], ${jobs.map(({ accountId }) => accountId)}::uuid[]
      ) as given (id, account_id) on jobs.id = given.id and jobs.account_id = given.account_id
      where workflow_started_at is null order by jobs.id for no key update
    ) as taken where jobs.id = taken.id`.execute(db)
}
