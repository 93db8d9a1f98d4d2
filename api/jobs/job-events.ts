import { FarmError } from '../../core/errors.ts'
import { isFinal } from '../../core/jobs/jobs.ts'
import type { Log } from '../../runtime/log.ts'
import type { AccountDatabases } from '../../store/db/account-databases.ts'
import { listLiveCredentials } from '../../store/db/accounts/list-live-credentials.ts'
import type { Db } from '../../store/db/database.ts'
import { getJobs, type JobView } from '../../store/db/jobs/get-job.ts'
import type { LinkSigner } from '../../store/objects/object-store.ts'
import type { PlayLinks } from '../playback/play-links.ts'
import {
  beat,
  beatMs,
  coalesceMs,
  type EventResponse,
  eventText,
  jobsPerRead,
  retryMs,
  writeTo,
} from './event-response.ts'
import type { JobChanges } from './job-changes.ts'
import { showJob } from './job-view.ts'
import type { AccountPlaces, StreamPlaces } from './stream-places.ts'

const maxListenersOfAccount = 200
/** Statements at a time. */
const readsAtOnce = 4

type Listener = EventResponse & {
  readonly accountId: string
  readonly jobId: string
  /** The key or session that it came with. */
  readonly credentialId: string
  /** The last event that it got. */
  shown: string
}

type Options = {
  readonly accountDatabases: AccountDatabases
  readonly changes: JobChanges
  readonly log: Log
  readonly places: StreamPlaces
  readonly objects: LinkSigner
  readonly playLinks: PlayLinks
}

/**
 * Sends changes of jobs to listeners, as server-sent events. A changed job is read once for all its
 * listeners. An event always holds the present state, so missed events need no repetition. The stream
 * of a key or session that is no longer accepted ends.
 */
export class JobEvents {
  readonly #options: Options
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #places: AccountPlaces
  readonly #changed = new Set<string>()
  #coalescing: NodeJS.Timeout | undefined
  #notifying: Promise<void> = Promise.resolve()
  #beating: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
    this.#places = options.places.of('event streams', maxListenersOfAccount)
    options.changes.tell((jobId) => {
      if (jobId === undefined) this.#changeAll()
      else if (this.#listeners.has(jobId)) this.#change(jobId)
    })
  }

  /** Answers why there is no room for another stream of the account; undefined when there is. */
  refusal(accountId: string): FarmError | undefined {
    if (this.#stopped) return new FarmError('unavailable', 'The service is stopping; try again')
    return this.#places.refusal(accountId)
  }

  /**
   * Writes events to a response whose head has been sent, the first one soon, and ends it at last.
   */
  add(listener: Pick<Listener, 'accountId' | 'jobId' | 'credentialId' | 'response'>): void {
    const { accountId, jobId, response } = listener
    const entry = { ...listener, since: Date.now(), shown: '', stalledBeats: 0 }
    const others = this.#listeners.get(jobId) ?? new Set()
    this.#listeners.set(jobId, others.add(entry))
    this.#places.take(accountId)
    response.once('close', () => this.#remove(entry))
    response.on('error', () => response.destroy())
    this.#start()
    this.#changed.add(jobId)
    this.#coalesce(0)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#coalescing)
    clearInterval(this.#beating)
    for (const { response } of this.#all()) response.end()
    await this.#notifying
  }

  #start(): void {
    this.#beating ??= setInterval(() => this.#beat(), beatMs).unref()
    this.#options.changes.start()
  }

  #remove(listener: Listener): void {
    const { accountId, jobId } = listener
    const others = this.#listeners.get(jobId)
    if (!others?.delete(listener)) return
    if (others.size === 0) this.#listeners.delete(jobId)
    this.#places.release(accountId)
  }

  *#all(): Generator<Listener> {
    for (const listeners of this.#listeners.values()) yield* listeners
  }

  #change(jobId: string): void {
    this.#changed.add(jobId)
    this.#coalesce(coalesceMs)
  }

  #changeAll(): void {
    for (const jobId of this.#listeners.keys()) this.#change(jobId)
  }

  #coalesce(ms: number): void {
    if (this.#stopped || this.#coalescing !== undefined) return
    this.#coalescing = setTimeout(() => {
      this.#notifying = this.#notifyChanged().then((ms) => {
        this.#coalescing = undefined
        if (this.#changed.size > 0) this.#coalesce(ms)
      })
    }, ms)
  }

  /**
   * Sends the changed jobs to their listeners; never rejects. @returns time to the next turn, ms
   */
  async #notifyChanged(): Promise<number> {
    const reads = this.#reads()
    this.#changed.clear()
    let waitMs = coalesceMs
    for (let at = 0; at < reads.length; at += readsAtOnce) {
      await Promise.all(
        reads.slice(at, at + readsAtOnce).map(async (read) => {
          try {
            const db = this.#options.accountDatabases.of(read.accountId)
            await this.#dismiss(db, read)
            for (const job of await getJobs(db, read)) await this.#notify(job)
          } catch (error) {
            this.#options.log.warn({ err: error }, 'jobs could not be read for their listeners')
            for (const jobId of read.jobIds) this.#changed.add(jobId)
            waitMs = retryMs
          }
        }),
      )
    }
    return waitMs
  }

  /** Changed jobs that have listeners, by account. */
  #reads(): { accountId: string; jobIds: string[] }[] {
    const byAccount = new Map<string, string[]>()
    for (const jobId of this.#changed) {
      const [first] = this.#listeners.get(jobId) ?? []
      if (!first) continue
      const jobIds = byAccount.get(first.accountId)
      if (jobIds) jobIds.push(jobId)
      else byAccount.set(first.accountId, [jobId])
    }
    return [...byAccount].flatMap(([accountId, jobIds]) =>
      Array.from({ length: Math.ceil(jobIds.length / jobsPerRead) }, (_, i) => ({
        accountId,
        jobIds: jobIds.slice(i * jobsPerRead, (i + 1) * jobsPerRead),
      })),
    )
  }

  async #dismiss(
    db: Db,
    { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
  ): Promise<void> {
    const listeners = jobIds.flatMap((jobId) => [...(this.#listeners.get(jobId) ?? [])])
    const ids = [...new Set(listeners.map(({ credentialId }) => credentialId))]
    const live = await listLiveCredentials(db, { accountId, ids })
    for (const { credentialId, response } of listeners) if (!live.has(credentialId)) response.end()
  }

  async #notify(job: JobView): Promise<void> {
    const id = eventId(job)
    const waiting = [...(this.#listeners.get(job.id) ?? [])].filter(({ shown }) => shown !== id)
    if (waiting.length === 0) return
    const data = JSON.stringify(await showJob(this.#options, job))
    for (const listener of waiting) {
      listener.shown = id
      writeTo(listener, eventText('job', { id, data }))
      if (isFinal(job.state)) listener.response.end()
    }
  }

  #beat(): void {
    for (const listener of this.#all()) beat(listener)
    this.#changeAll()
  }
}

/** Version of a job's view: equal versions show the same. */
export function eventId({ updatedAt, frames, previewKey, queuePosition }: JobView): string {
  const preview = previewKey === null ? 0 : 1
  return `${updatedAt.getTime()}-${frames.done}-${preview}-${queuePosition ?? 0}`
}
