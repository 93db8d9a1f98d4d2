import type { ServerResponse } from 'node:http'
import { FarmError } from '../../core/errors.ts'
import { isFinal } from '../../core/jobs/jobs.ts'
import type { Log } from '../../runtime/log.ts'
import type { AccountDatabases } from '../../store/db/account-databases.ts'
import { listLiveCredentials } from '../../store/db/accounts/list-live-credentials.ts'
import type { Db } from '../../store/db/database.ts'
import { getJobs, type JobView } from '../../store/db/jobs/get-job.ts'
import { listen } from '../../store/db/listen.ts'
import type { LinkSigner } from '../../store/objects/object-store.ts'
import type { ApiMetrics } from '../metrics.ts'
import type { PlayLinks } from '../playback/play-links.ts'
import { showJob } from './job-view.ts'

/** Debounce: changes of a job within this time are sent as one. */
const coalesceMs = 250
const retryMs = 1_000
/** Keeps proxies from closing a quiet stream; also bounds the delay after a lost notification. */
const beatMs = 15_000
/** Limit of unsent bytes to one client; a slower client is dropped. */
const maxUnsentBytes = 64 * 1024
/** Beats without progress on the client's connection until it is dropped. */
const maxStalledBeats = 2
/** Longest life of a stream; then the client reconnects. */
const maxStreamMs = 10 * 60_000
const maxListeners = 5_000
const maxListenersOfAccount = 200
/** Jobs read by one statement, and statements at a time. */
const jobsPerRead = 100
const readsAtOnce = 4

type Listener = {
  readonly accountId: string
  readonly jobId: string
  /** The key or session that it came with. */
  readonly credentialId: string
  readonly response: ServerResponse
  readonly since: number
  /** The last event that it got. */
  shown: string
  stalledBeats: number
}

type Options = {
  readonly accountDatabases: AccountDatabases
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Pick<ApiMetrics, 'listening'>
  readonly objects: LinkSigner
  readonly playLinks: PlayLinks
}

/**
 * Sends changes of jobs to listeners, as server-sent events. One connection of the process listens
 * to the database's notifications, and a changed job is read once for all its listeners. An event
 * always holds the present state, so missed events need no repetition. The stream of a key or
 * session that is no longer accepted ends.
 */
export class JobEvents {
  readonly #options: Options
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #countOfAccount = new Map<string, number>()
  readonly #changed = new Set<string>()
  #count = 0
  #coalescing: NodeJS.Timeout | undefined
  #notifying: Promise<void> = Promise.resolve()
  #beating: NodeJS.Timeout | undefined
  #stopListening: (() => Promise<void>) | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Answers why there is no room for another stream of the account; undefined when there is. */
  refusal(accountId: string): FarmError | undefined {
    const own = this.#countOfAccount.get(accountId) ?? 0
    if (own >= maxListenersOfAccount) {
      const rule = `An account must have <= ${maxListenersOfAccount} event streams open at a time.`
      return new FarmError('too_many_requests', `${rule} Got one more`)
    }
    if (this.#count >= maxListeners || this.#stopped) {
      return new FarmError('unavailable', 'All event streams are in use; try again')
    }
    return undefined
  }

  /**
   * Writes events to a response whose head has been sent, the first one soon, and ends it at last.
   */
  add(listener: Pick<Listener, 'accountId' | 'jobId' | 'credentialId' | 'response'>): void {
    const { accountId, jobId, response } = listener
    const entry = { ...listener, since: Date.now(), shown: '', stalledBeats: 0 }
    const others = this.#listeners.get(jobId) ?? new Set()
    this.#listeners.set(jobId, others.add(entry))
    this.#count += 1
    this.#options.metrics.listening(this.#count)
    this.#countOfAccount.set(accountId, (this.#countOfAccount.get(accountId) ?? 0) + 1)
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
    await this.#stopListening?.()
  }

  #start(): void {
    const { databaseUrl: url, log } = this.#options
    this.#beating ??= setInterval(() => this.#beat(), beatMs).unref()
    this.#stopListening ??= listen({
      ...{ url, log, channel: 'job_changes' },
      onNotify: (jobId) => {
        if (jobId === undefined) this.#changeAll()
        else if (this.#listeners.has(jobId)) this.#change(jobId)
      },
    })
  }

  #remove(listener: Listener): void {
    const { accountId, jobId } = listener
    const others = this.#listeners.get(jobId)
    if (!others?.delete(listener)) return
    if (others.size === 0) this.#listeners.delete(jobId)
    this.#count -= 1
    this.#options.metrics.listening(this.#count)
    const left = (this.#countOfAccount.get(accountId) ?? 1) - 1
    if (left === 0) this.#countOfAccount.delete(accountId)
    else this.#countOfAccount.set(accountId, left)
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
      this.#write(listener, `id: ${id}\nevent: job\ndata: ${data}\n\n`)
      if (isFinal(job.state)) listener.response.end()
    }
  }

  #write({ response }: Listener, text: string): void {
    if (response.destroyed || response.writableEnded) return
    response.write(text)
    if (response.writableLength > maxUnsentBytes) response.destroy()
  }

  #beat(): void {
    for (const listener of this.#all()) {
      const { response, since } = listener
      listener.stalledBeats = response.writableNeedDrain ? listener.stalledBeats + 1 : 0
      if (listener.stalledBeats >= maxStalledBeats) response.destroy()
      else if (Date.now() - since > maxStreamMs) response.end()
      else this.#write(listener, ': still here\n\n')
    }
    this.#changeAll()
  }
}

/** Version of a job's view: equal versions show the same. */
export function eventId({ updatedAt, frames, previewKey, queuePosition }: JobView): string {
  const preview = previewKey === null ? 0 : 1
  return `${updatedAt.getTime()}-${frames.done}-${preview}-${queuePosition ?? 0}`
}
