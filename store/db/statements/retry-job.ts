import { randomUUID } from 'node:crypto'
import type { Db } from '../database.ts'
import { insertJobWithHold } from './insert-job-with-hold.ts'
import type { InsertedJob } from './insert-jobs-with-hold.ts'

export type RetriedJob =
  | { readonly outcome: 'unknown' | 'not_failed' }
  | { readonly outcome: 'again'; readonly id: string; readonly inserted: InsertedJob }

/**
 * Submits what a failed or cancelled job asked for once more, as a new job of the same account; its
 * workflow is started by the sweeper. What was rendered before comes out of the store.
 */
export async function retryJob(db: Db, jobId: string): Promise<RetriedJob> {
  const job = await db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst()
  if (job === undefined) return { outcome: 'unknown' }
  if (job.state !== 'failed' && job.state !== 'cancelled') return { outcome: 'not_failed' }
  const id = randomUUID()
  const { account_id: accountId, type, name, request, credits_reserved: credits, warnings } = job
  const again = { id, accountId, type, name, request, credits, warnings }
  return { outcome: 'again', id, inserted: await insertJobWithHold(db, again) }
}
