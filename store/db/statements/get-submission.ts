import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs.ts'
import type { Db } from '../database.ts'

/** What a job's workflow starts from: the request as it was accepted, and the account's plan now. */
export type Submission = {
  readonly state: JobState
  readonly request: unknown
  readonly plan: string
}

/** Undefined when the account has no such job. */
export async function getSubmission(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<Submission | undefined> {
  const { rows } = await sql<Submission>`
    select j.state, j.request, a.plan from jobs j join accounts a on a.id = j.account_id
    where j.account_id = ${accountId} and j.id = ${jobId}`.execute(db)
  return rows[0]
}
