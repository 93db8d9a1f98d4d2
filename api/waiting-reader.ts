import type { Waiting } from '../core/waiting.ts'
import type { JobView } from '../store/db/statements/get-job.ts'

/** So many explanations a second are found for an account, however many of its jobs are asked for. */
const aSecond = 10
/** A job that nobody has asked for within so long is forgotten. */
const forgottenMs = 60_000

type Explained = { readonly of: string; readonly at: number; readonly waiting: Waiting | null }

/**
 * Why jobs wait costs more to find out than all else that is told of them, and programs ask for hundreds
 * of jobs again and again. So what was found of a job is told again for a while, the longer the more jobs of
 * the account are asked for, unless the job has moved on: of a single one for 0.1 s, of two hundred for 20 s.
 */
export class WaitingReader {
  /** By account, then by job; those that were asked for the longest ago first. */
  readonly #accounts = new Map<string, Map<string, Explained>>()

  /** `explain` is asked when nothing is known that still holds. @throws what it does */
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

  /** What is older: of the account that has just asked, and of those that ask no more. */
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
