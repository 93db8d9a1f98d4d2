import { pointerInJob } from '../../../core/errors.ts'
import type { JobState } from '../../../core/jobs/jobs.ts'
import type { Happening } from '../../../core/webhooks/envelope.ts'
import { returnCredits } from '../accounts/return-credits.ts'
import { type Db, inTransaction } from '../database.ts'
import { forgetSpecs } from '../previews/forget-specs.ts'
import { sealPreviewWords } from '../previews/preview-words.ts'
import { cancelTasksOfJobs } from '../queue/cancel-tasks-of-jobs.ts'
import { writeDeliveries } from '../webhooks/write-deliveries.ts'
import { type EndedJob, endJobs, type JobEnding } from './end-jobs.ts'
import { settleCredits } from './settle-credits.ts'
import { statesOfJobs } from './states-of-jobs.ts'

export type Settlement =
  | (Extract<JobEnding, { to: 'completed' }> & {
      /** Signed addresses of the files, for the receivers of its end; none hears of a preview's. */
      readonly links: OutputLinks
    })
  | Exclude<JobEnding, { to: 'completed' }>

export type OutputLinks = { readonly url: string; readonly thumbnailUrl: string | null }

/** `reason`: for the job's row. */
export type Settling = {
  readonly jobId: string
  readonly reason: string
  readonly settlement: Settlement
}

/** `ageSeconds`: from its submission to this end. */
export type SettledJob =
  | { readonly settled: true; readonly state: JobState; readonly ageSeconds: number }
  | { readonly settled: false; readonly state: JobState }

/**
 * Ends jobs of an account, each named once: states, results, ledger, deliveries and open tasks in
 * one transaction. Settling again changes nothing and answers the present state. Answers in the
 * order of the settlings; undefined: no such job.
 */
export async function settleJobs(
  db: Db,
  { accountId, settlings }: { accountId: string; settlings: readonly Settling[] },
): Promise<readonly (SettledJob | undefined)[]> {
  return await inTransaction(db, async (tx) => {
    const ends = settlings.map(({ settlement, ...rest }) => ({ ...rest, end: settlement }))
    const ended = new Map((await endJobs(tx, { accountId, ends })).map((job) => [job.jobId, job]))
    if (ended.size > 0) {
      const happenings = settlings.flatMap(({ jobId, settlement }) => {
        const job = ended.get(jobId)
        return job === undefined || job.isPreview ? [] : happeningOf(settlement, job)
      })
      if (happenings.length > 0) await writeDeliveries(tx, { accountId, happenings })
      const paid = [...ended.values()].filter(({ isPreview }) => !isPreview)
      // Late, because everything that ends a job of the account is serialized here.
      if (paid.length > 0) await settleCredits(tx, { accountId, jobs: paid })
      for (const { jobId, creditsReserved, creditsCharged } of paid) {
        await returnCredits(tx, { jobId, credits: creditsReserved - creditsCharged })
      }
      await cancelTasksOfJobs(tx, { accountId, jobIds: [...ended.keys()] })
      const previews = [...ended.values()].filter(({ isPreview }) => isPreview)
      if (previews.length > 0) {
        const named = { accountId, jobIds: previews.map(({ jobId }) => jobId) }
        await sealPreviewWords(tx, named)
        await forgetSpecs(tx, named)
      }
    }
    const others = settlings.map(({ jobId }) => jobId).filter((jobId) => !ended.has(jobId))
    const states = await statesOfJobs(tx, { accountId, jobIds: others })
    return settlings.map(({ jobId }) => answerOf(ended.get(jobId), states.get(jobId)))
  })
}

/** Settles one job. */
export async function settleJob(
  db: Db,
  { accountId, ...settling }: Settling & { accountId: string },
): Promise<SettledJob | undefined> {
  const [settled] = await settleJobs(db, { accountId, settlings: [settling] })
  return settled
}

function answerOf(ended: EndedJob | undefined, state: JobState | undefined) {
  if (ended) return { settled: true, state: ended.state, ageSeconds: ended.ageSeconds } as const
  return state && ({ settled: false, state } as const)
}

/** Events of a settlement; none for a job that its customer has cancelled. */
function happeningOf(
  settlement: Settlement,
  { jobId, creditsCharged, templateId }: EndedJob,
): Happening[] {
  const common = { jobId, at: new Date().toISOString() }
  switch (settlement.to) {
    case 'completed': {
      const { url, thumbnailUrl } = settlement.links
      const { duration, size } = settlement.result
      const data = {
        ...{ status: settlement.to, url, thumbnailUrl, duration, size, creditsCharged },
        templateId,
      }
      return [{ ...common, event: 'render.completed', data }]
    }
    case 'failed': {
      const { details, ...error } = settlement.error
      const located = details.map((fault) => ({
        ...fault,
        pointer: pointerInJob(fault, templateId),
      }))
      const data = {
        ...{ status: settlement.to, creditsCharged },
        error: { ...error, details: located },
      }
      return [{ ...common, event: 'render.failed', data }]
    }
    case 'cancelled':
      return []
    default:
      return settlement satisfies never
  }
}
