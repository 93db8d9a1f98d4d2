import type { Waiting } from '../../core/queue/waiting.ts'
import type { JobView } from '../../store/db/jobs/get-job.ts'

/**
 * Explanations that are computed for an account in a second, however many of its jobs are polled.
 */
const aSecond = 10
/** A job that was not polled for this time is dropped from the cache. */
const forgottenMs = 60_000

type Explained = { readonly of: string; readonly at: number; readonly waiting: Waiting | null }

/**
 * Caches why jobs wait: an explanation costs more than the rest of a job, and programs poll
 * hundreds of jobs. The time grows with the number of the account's polled jobs, unless the job has
 * moved on: 0.1 s for a single one, 20 s for two hundred.
 */
export class WaitingReader {
  /** Cached explanations by account, then by job; the oldest first. */
  readonly #accounts = new Map<string, Map<string, Explained>>()

  /** `explain` is called when no valid explanation is cached. @throws its errors */
  async read(
    job: Pick<JobView, 'id' | 'state' | 'stage' | 'frames' | 'finishedAt'>,
    { accountId, explain }: { accountId: string; explain: () => Promise<Waiting | null> },
  ): Promise<Waiting | null> {
    const jobs = this.#accounts.get(accountId) ?? new Map<string, Explained>()
    if (job.finishedAt !== null) {
      jobs.delete(job.id)
      if (jobs.size === 0) this.#accounts.delete(accountId)
      return null
    }
    const now = performance.now()
    const of = `${job.state} ${job.stage} ${job.frames.done}`
    const known = jobs.get(job.id)
    if (known?.of === of && now - known.at < (jobs.size * 1_000) / aSecond) return known.waiting
    const waiting = await explain()
    this.#accounts.delete(accountId)
    this.#accounts.set(accountId, jobs)
    jobs.delete(job.id)
    jobs.set(job.id, { of, at: now, waiting })
    this.#forget(now - forgottenMs, jobs)
    return waiting
  }

  /** Drops older entries: of the polling account, and of accounts that poll no more. */
  #forget(before: number, asking: Map<string, Explained>): void {
    for (const [jobId, { at }] of asking) {
      if (at > before) break
      asking.delete(jobId)
    }
    for (const [accountId, jobs] of this.#accounts) {
      const latest = [...jobs.values()].at(-1)
      if (latest && latest.at > before) break
      this.#accounts.delete(accountId)
    }
  }
}
