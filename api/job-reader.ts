import { Gather, GatherByKey } from '../runtime/gather.ts'
import type { Log } from '../runtime/log.ts'
import type { AccountDatabases } from '../store/db/account-databases.ts'
import { listen } from '../store/db/listen.ts'
import { getJobs, type JobView } from '../store/db/statements/get-job.ts'

/** Jobs of an account that are read by one statement. */
const readAtOnce = 100
/** A job that was asked for within so long is asked for again and again. */
const latelyMs = 3_000
/** How far apart answers about one open job are: the more jobs are asked for again and again, the further. */
const usualPause = { msEach: 10, leastMs: 250, mostMs: 1_000 }

type Named = { readonly accountId: string; readonly jobId: string }

/**
 * Reads jobs for those who ask for them. Programs that wait for hundreds of jobs ask for each as fast as they
 * can, and would keep the farm from rendering them. So who asks for an open job and was told of it just now is
 * answered when it ends, and else a moment later: nobody hears of an end any later for it. What is asked at the
 * same moment is read by one statement.
 */
export class JobReader {
  readonly #pauses: typeof usualPause
  readonly #database: { readonly url: string; readonly log: Log }
  readonly #reads: GatherByKey<string, JobView | undefined>
  /** Open jobs by id: whose they are, and when they were last told of (`performance.now()`); the longest ago first. */
  readonly #told = new Map<string, { readonly accountId: string; readonly at: number }>()
  /** Those who wait for the end of a job, by its id. */
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
    this.#reads = new GatherByKey((accountId) => {
      const db = accountDatabases.of(accountId)
      return new Gather(
        async (jobIds) => {
          const jobs = await getJobs(db, { accountId, jobIds: [...new Set(jobIds)] })
          const byId = new Map(jobs.map((job) => [job.id, job]))
          return jobIds.map((jobId) => byId.get(jobId))
        },
        { most: readAtOnce },
      )
    })
  }

  /** One job of an account, or undefined: another account's job looks like none. */
  async read(named: Named): Promise<JobView | undefined> {
    await this.#pause(named)
    const job = await this.#reads.ask(named.accountId, named.jobId)
    if (job?.finishedAt === null) this.#tell(named)
    else if (job) this.#told.delete(job.id)
    return job
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wakeAll()
    await this.#stopListening?.()
  }

  /** Until the job ends, or it may be told of again. */
  async #pause({ accountId, jobId }: Named): Promise<void> {
    const told = this.#told.get(jobId)
    if (told?.accountId !== accountId || this.#stopped) return
    const { msEach, leastMs, mostMs } = this.#pauses
    const apart = Math.min(mostMs, Math.max(leastMs, msEach * this.#told.size))
    const left = told.at + apart - performance.now()
    if (left > 0) await this.#endOf(jobId, left)
  }

  #tell({ accountId, jobId }: Named): void {
    const now = performance.now()
    this.#told.delete(jobId)
    this.#told.set(jobId, { accountId, at: now })
    for (const [oldest, { at }] of this.#told) {
      if (at > now - latelyMs) break
      this.#told.delete(oldest)
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
      // Without an id: what was said meanwhile is lost.
      onNotify: (jobId) => (jobId === undefined ? this.#wakeAll() : this.#wake(jobId)),
    })
  }

  /** Also who asks later: a job may end while nobody waits for it. */
  #wake(jobId: string): void {
    this.#told.delete(jobId)
    for (const wake of [...(this.#waiting.get(jobId) ?? [])]) wake()
  }

  #wakeAll(): void {
    this.#told.clear()
    for (const jobId of [...this.#waiting.keys()]) this.#wake(jobId)
  }
}
