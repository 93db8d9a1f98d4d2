import { LRUCache } from 'lru-cache'
import { FarmError } from '../../core/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { AccountDatabases } from '../../store/db/account-databases.ts'
import type { Db } from '../../store/db/database.ts'
import { accountsOfJobs } from '../../store/db/jobs/accounts-of-jobs.ts'
import { AccountFeed, type AccountListener } from './account-feed.ts'
import { beat, beatMs, coalesceMs, pulse, pulseMs, retryMs } from './event-response.ts'
import type { JobChanges } from './job-changes.ts'
import type { JobLinks } from './job-view.ts'
import type { AccountPlaces, StreamPlaces } from './stream-places.ts'
import { SubmissionNotices } from './submission-notices.ts'

const maxStreamsOfAccount = 20
const feedsAtOnce = 4
const mostAccountsKnown = 20_000

type Options = {
  /** Sees all accounts: a notification names a job alone. */
  readonly db: Db
  readonly accountDatabases: AccountDatabases
  readonly changes: JobChanges
  readonly log: Log
  readonly places: StreamPlaces
  readonly links: JobLinks
}

type NewListener = Pick<
  AccountListener,
  'credentialId' | 'seesCredits' | 'response' | 'missedFrom'
> & { readonly accountId: string }

/** Streams of everything that happens to an account's jobs, bulks and credits. */
export class AccountEvents {
  readonly #options: Options
  readonly #feeds = new Map<string, AccountFeed>()
  readonly #places: AccountPlaces
  readonly #notices: SubmissionNotices
  readonly #accountOf = new LRUCache<string, string>({ max: mostAccountsKnown })
  /** Changed jobs whose account is not known yet. */
  readonly #unknown = new Set<string>()
  #coalescing: NodeJS.Timeout | undefined
  #turning: Promise<void> = Promise.resolve()
  #beating: NodeJS.Timeout | undefined
  #pulsing: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
    this.#notices = new SubmissionNotices(options)
    this.#places = options.places.of('streams of /api/events', maxStreamsOfAccount)
    options.changes.tell((jobId) => this.#hear(jobId))
  }

  /** Answers why there is no room for another stream of the account; undefined when there is. */
  refusal(accountId: string): FarmError | undefined {
    if (this.#stopped) return new FarmError('unavailable', 'The service is stopping; try again')
    return this.#places.refusal(accountId)
  }

  /** Writes events to a response whose head has been sent. */
  add({ accountId, ...listener }: NewListener): void {
    const feed = this.#feedOf(accountId)
    const entry = { ...listener, since: Date.now(), stalledBeats: 0, isNew: true }
    feed.listeners.add(entry)
    this.#places.take(accountId)
    entry.response.once('close', () => {
      if (!feed.listeners.delete(entry)) return
      this.#places.release(accountId)
      if (feed.listeners.size === 0) this.#feeds.delete(accountId)
    })
    entry.response.on('error', () => entry.response.destroy())
    this.#beating ??= setInterval(() => this.#beat(), beatMs).unref()
    this.#pulsing ??= setInterval(() => this.#pulse(), pulseMs).unref()
    this.#options.changes.start()
    this.#coalesce(0)
  }

  /** Tells of jobs that this replica has just accepted, here and in the others. */
  submitted(accountId: string, jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#accountOf.set(jobId, accountId)
    this.#notices.add(jobIds)
    const feed = this.#feeds.get(accountId)
    if (!feed) return
    for (const jobId of jobIds) feed.change(jobId)
    this.#coalesce(coalesceMs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#coalescing)
    clearInterval(this.#beating)
    clearInterval(this.#pulsing)
    for (const { listeners } of this.#feeds.values()) {
      for (const { response } of listeners) response.end()
    }
    await this.#turning
    await this.#notices.stop()
  }

  #feedOf(accountId: string): AccountFeed {
    const known = this.#feeds.get(accountId)
    if (known) return known
    const { accountDatabases, links } = this.#options
    const feed = new AccountFeed(accountId, { db: accountDatabases.of(accountId), links })
    this.#feeds.set(accountId, feed)
    return feed
  }

  #hear(jobId: string | undefined): void {
    if (this.#feeds.size === 0) return
    if (jobId === undefined) {
      for (const feed of this.#feeds.values()) feed.changeAll()
    } else {
      const accountId = this.#accountOf.get(jobId)
      if (accountId === undefined) this.#unknown.add(jobId)
      else this.#feeds.get(accountId)?.change(jobId)
    }
    this.#coalesce(coalesceMs)
  }

  #coalesce(ms: number): void {
    if (this.#stopped || this.#coalescing !== undefined) return
    this.#coalescing = setTimeout(() => {
      this.#turning = this.#turn().then((wait) => {
        this.#coalescing = undefined
        if (this.#hasWork()) this.#coalesce(wait)
      })
    }, ms)
  }

  #hasWork(): boolean {
    return this.#unknown.size > 0 || [...this.#feeds.values()].some(({ hasWork }) => hasWork)
  }

  /** Never rejects. @returns time to the next turn, ms */
  async #turn(): Promise<number> {
    let wait = coalesceMs
    const failed = (error: unknown) => {
      this.#options.log.warn({ err: error }, 'changes could not be read for their listeners')
      wait = retryMs
    }
    await this.#findAccounts().catch(failed)
    const feeds = [...this.#feeds.values()].filter(({ hasWork }) => hasWork)
    for (let at = 0; at < feeds.length; at += feedsAtOnce) {
      const some = feeds.slice(at, at + feedsAtOnce)
      await Promise.all(some.map((feed) => feed.turn().catch(failed)))
    }
    return wait
  }

  async #findAccounts(): Promise<void> {
    const jobIds = [...this.#unknown]
    if (jobIds.length === 0) return
    const found = await accountsOfJobs(this.#options.db, jobIds)
    for (const jobId of jobIds) this.#unknown.delete(jobId)
    for (const [jobId, accountId] of found) {
      this.#accountOf.set(jobId, accountId)
      this.#feeds.get(accountId)?.change(jobId)
    }
  }

  #pulse(): void {
    for (const { listeners } of this.#feeds.values()) {
      for (const listener of listeners) pulse(listener)
    }
  }

  #beat(): void {
    for (const feed of this.#feeds.values()) {
      for (const listener of feed.listeners) beat(listener)
      feed.changeAll()
    }
    this.#coalesce(coalesceMs)
  }
}
