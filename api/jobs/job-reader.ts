import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import type { Log } from '../../runtime/log.ts'
import type { AccountDatabases } from '../../store/db/account-databases.ts'
import { getJobs, type JobView } from '../../store/db/jobs/get-job.ts'
import { listen } from '../../store/db/listen.ts'

/** Jobs of an account that one statement reads. */
const readAtOnce = 100
/** A job that was read within this time is being polled. */
const latelyMs = 3_000
/** Distance between answers about one open job; it grows with the number of polled jobs. */
const usualPause = { msEach: 10, leastMs: 250, mostMs: 1_000 }

type Named = { readonly accountId: string; readonly jobId: string }

/**
 * Reads jobs for pollers. Programs that wait for hundreds of jobs poll each as fast as they can,
 * and would slow the farm down. So polling the same open job again long-polls: the reply comes when
 * the job ends, or a moment later. No end is reported any later for it. Concurrent reads are
 * batched into one statement.
 */
export class JobReader {
  readonly #pauses: typeof usualPause
  readonly #database: { readonly url: string; readonly log: Log }
  readonly #reads: KeyedBatcher<string, JobView | undefined>
  /**
   * Open jobs by id: their account, and the time of the last answer (`performance.now()`); the
   * oldest first.
   */
  readonly #polled = new Map<string, { readonly accountId: string; readonly at: number }>()
  /** Waiters for the end of a job, by its id. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #stopListening: (() => Promise<void>) | undefined
  #stopped = false

  constructor({
    accountDatabases,
    databaseUrl,
    log,
    pauses = usualPause,
  }: {
    accountDatabases: AccountDatabases
    databaseUrl: string
    log: Log
    pauses?: typeof usualPause
  }) {
    this.#pauses = pauses
    this.#database = { url: databaseUrl, log }
    this.#reads = new KeyedBatcher((accountId) => {
      const db = accountDatabases.of(accountId)
      return new Batcher(
        async (jobIds) => {
          const jobs = await getJobs(db, { accountId, jobIds: [...new Set(jobIds)] })
          const byId = new Map(jobs.map((job) => [job.id, job]))
          return jobIds.map((jobId) => byId.get(jobId))
        },
        { most: readAtOnce },
      )
    })
  }

  /** Reads one job of an account; undefined for another account's. */
  async read(named: Named): Promise<JobView | undefined> {
    await this.#pause(named)
    const job = await this.#reads.submit(named.accountId, named.jobId)
    if (job?.finishedAt === null) this.#remember(named)
    else if (job) this.#polled.delete(job.id)
    return job
  }

  /** Waits until the job ends, or for so long. Answers whether this reader has stopped. */
  async waitForEnd(jobId: string, longestMs: number): Promise<boolean> {
    this.#listen()
    if (!this.#stopped) await this.#endOf(jobId, longestMs)
    return this.#stopped
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wakeAll()
    await this.#stopListening?.()
  }

  /** Waits until the job ends, or the next answer about it is due. */
  async #pause({ accountId, jobId }: Named): Promise<void> {
    const told = this.#polled.get(jobId)
    if (told?.accountId !== accountId || this.#stopped) return
    const { msEach, leastMs, mostMs } = this.#pauses
    const apart = Math.min(mostMs, Math.max(leastMs, msEach * this.#polled.size))
    const left = told.at + apart - performance.now()
    if (left > 0) await this.#endOf(jobId, left)
  }

  #remember({ accountId, jobId }: Named): void {
    const now = performance.now()
    this.#polled.delete(jobId)
    this.#polled.set(jobId, { accountId, at: now })
    for (const [oldest, { at }] of this.#polled) {
      if (at > now - latelyMs) break
      this.#polled.delete(oldest)
    }
    this.#listen()
  }

  #endOf(jobId: string, longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(jobId) ?? new Set()
      this.#waiting.set(jobId, waiting)
      const wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0) this.#waiting.delete(jobId)
        resolve()
      }
      const timer = setTimeout(wake, longestMs)
      waiting.add(wake)
    })
  }

  #listen(): void {
    if (this.#stopped) return
    this.#stopListening ??= listen({
      ...{ ...this.#database, channel: 'job_ends' },
      // An id is missing after a reconnection: notifications in between are lost.
      onNotify: (jobId) => (jobId === undefined ? this.#wakeAll() : this.#wake(jobId)),
    })
  }

  /** Also clears the last answer: a job may end while no poller waits for it. */
  #wake(jobId: string): void {
    this.#polled.delete(jobId)
    for (const wake of [...(this.#waiting.get(jobId) ?? [])]) wake()
  }

  #wakeAll(): void {
    this.#polled.clear()
    for (const jobId of [...this.#waiting.keys()]) this.#wake(jobId)
  }
}
