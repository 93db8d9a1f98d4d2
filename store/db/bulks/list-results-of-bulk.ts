import { sql } from 'kysely'
import type { JobError, JobResult, JobState } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'

/** State and files of a job of a bulk. */
export type BulkResult = {
  readonly index: number
  readonly jobId: string
  readonly name: string
  readonly state: JobState
  readonly result: JobResult | null
  readonly error: JobError | null
  readonly outputKey: string | null
  readonly filesExpireAt: Date | null
  readonly finishedAt: Date | null
  readonly creditsCharged: number
}

/** Lists all jobs of a bulk, in its order: a plan's limit keeps them few. */
export async function listResultsOfBulk(
  db: Db,
  { accountId, bulkId }: { accountId: string; bulkId: string },
): Promise<readonly BulkResult[]> {
  const { rows } = await sql<BulkResult>`
    select bulk_index as index, id as "jobId", name, state, result, error,
      output_key as "outputKey",
      files_expire_at as "filesExpireAt", finished_at as "finishedAt", credits_charged as "creditsCharged"
    from jobs where bulk_id = ${bulkId} and account_id = ${accountId}
    order by bulk_index`.execute(db)
  return rows
}
