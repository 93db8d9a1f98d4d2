import { cancelCharge } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import { getJob } from './get-job.ts'
import { type SettledJob, settleJob } from './settle-jobs.ts'

/**
 * Cancels a job for its customer: charges the frames already painted and stops its tasks. A job
 * that has ended stays as it is (`settled` false). Undefined: the account has no such job.
 */
export async function cancelJob(
  db: Db,
  { accountId, jobId, reason }: { accountId: string; jobId: string; reason: string },
): Promise<SettledJob | undefined> {
  const job = await getJob(db, { accountId, jobId })
  if (job === undefined) return undefined
  const charge = cancelCharge({ creditsReserved: job.creditsReserved, frames: job.frames })
  const settlement = { to: 'cancelled', charge } as const
  return await settleJob(db, { accountId, jobId, reason, settlement })
}
