import { randomUUID } from 'node:crypto'
import type { Db } from '../database.ts'
import { setPriority } from '../queue/set-priority.ts'
import { getSubmission } from './get-submissions.ts'
import { insertJobWithHold } from './insert-job-with-hold.ts'
import type { InsertedJob } from './insert-jobs-with-hold.ts'

export type RetriedJob =
  | { readonly outcome: 'unknown' | 'not_failed' }
  | { readonly outcome: 'again'; readonly id: string; readonly inserted: InsertedJob }

/**
 * Submits the request of a failed or cancelled job again, as a new job of the account with the same
 * priority and receiver. The sweeper starts its workflow. A job of a bulk returns alone, with its
 * whole request. Segments rendered before come out of the store. Call it in a transaction.
 */
export async function retryJob(db: Db, jobId: string): Promise<RetriedJob> {
  const job = await db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst()
  if (job === undefined || job.preview !== null) return { outcome: 'unknown' }
  if (job.state !== 'failed' && job.state !== 'cancelled') return { outcome: 'not_failed' }
  const id = randomUUID()
  const { account_id: accountId, type, name, credits_reserved: credits, warnings, priority } = job
  const submission = await getSubmission(db, { accountId, jobId })
  const inserted = await insertJobWithHold(db, {
    ...{ id, accountId, type, name, request: submission?.request, credits, warnings },
    ...(job.template_id !== null && { templateId: job.template_id }),
    ...(job.webhook_url !== null && { webhookUrl: job.webhook_url }),
  })
  if (inserted.outcome === 'inserted') await setPriority(db, { jobId: id, priority })
  return { outcome: 'again', id, inserted }
}
