import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { getAccount } from '../../store/db/accounts/get-account.ts'
import { listLiveCredentials } from '../../store/db/accounts/list-live-credentials.ts'
import { getBulks } from '../../store/db/bulks/get-bulk.ts'
import type { Db } from '../../store/db/database.ts'
import { getJobs, type JobView } from '../../store/db/jobs/get-job.ts'
import { listChangedJobs } from '../../store/db/jobs/list-changed-jobs.ts'
import { showBulk } from '../bulks/bulk-view.ts'
import { type EventResponse, eventText, jobsPerRead, writeTo } from './event-response.ts'
import { showJobEvent, versionOf } from './job-event.ts'
import type { JobLinks } from './job-view.ts'

/** Jobs that one look at an account's changes tells of. */
const mostJobs = 500
const mostRemembered = 5_000
/**
 * Events written before sockets may send them. Without the pause, a burst of events would make every client
 * look slow, and cost it its stream.
 */
const eventsAtOnce = 20
/** Distance of two readings of bulks: each sums over all of a bulk's jobs. */
const bulksMs = 1_000
/** Clocks of the database and of replicas may differ so much. */
export const clockSkewMs = 5_000

export type AccountListener = EventResponse & {
  /** The key or session that it came with. */
  readonly credentialId: string
  /** True: its credential may read the balance. */
  readonly seesCredits: boolean
  /** Time from which it has missed events; undefined: it has missed none. */
  readonly missedFrom: Date | undefined
  isNew: boolean
}

/** Tells one account's listeners of its jobs, bulks and credits. An event holds the present state. */
export class AccountFeed {
  readonly accountId: string
  readonly listeners = new Set<AccountListener>()
  readonly #db: Db
  readonly #links: JobLinks
  readonly #changed = new Set<string>()
  readonly #bulks = new Set<string>()
  /** Versions of jobs, and texts of bulks, that were told last. */
  readonly #told = new LRUCache<string, string>({ max: mostRemembered })
  #credits = ''
  #bulksReadAt = 0
  #lookedAt: Date | undefined
  #looksAtAll = false

  constructor(accountId: string, { db, links }: { db: Db; links: JobLinks }) {
    this.accountId = accountId
    this.#db = db
    this.#links = links
  }

  change(jobId: string): void {
    this.#changed.add(jobId)
  }

  /** Some jobs may have changed of which nothing was heard. */
  changeAll(): void {
    this.#looksAtAll = true
  }

  get hasWork(): boolean {
    const isBehind = this.#changed.size > 0 || this.#bulks.size > 0 || this.#looksAtAll
    return isBehind || [...this.listeners].some(({ isNew }) => isNew)
  }

  /** Tells what has changed. A failure loses nothing: the next turn tells it. */
  async turn(): Promise<void> {
    const now = new Date()
    const looksAtAll = this.#looksAtAll
    const changed = [...this.#changed]
    this.#changed.clear()
    this.#looksAtAll = false
    try {
      await this.#dismiss()
      await this.#welcome(now, changed)
      const id = String(now.getTime())
      for (const [at, job] of (await this.#read(changed, looksAtAll)).entries()) {
        if (at % eventsAtOnce === 0) await nextTurn()
        await this.#tell(job, id)
      }
      if (looksAtAll) this.#lookedAt = now
      await this.#tellBulks(id)
      await this.#tellCredits(id)
    } catch (error) {
      for (const jobId of changed) this.#changed.add(jobId)
      this.#looksAtAll ||= looksAtAll
      throw error
    }
  }

  async #dismiss(): Promise<void> {
    const { accountId } = this
    const ids = [...new Set([...this.listeners].map(({ credentialId }) => credentialId))]
    const live = await listLiveCredentials(this.#db, { accountId, ids })
    for (const { credentialId, response } of this.listeners) {
      if (!live.has(credentialId)) response.end()
    }
  }

  /** Tells new listeners what they have missed; then they hear what all hear. */
  async #welcome(now: Date, changed: readonly string[]): Promise<void> {
    const { accountId } = this
    const most = mostJobs
    if (this.#lookedAt === undefined) {
      // Open jobs are known from here on, so that the first beat does not tell of all of them.
      for (const job of await listChangedJobs(this.#db, { accountId, since: now, most })) {
        if (!changed.includes(job.id)) this.#told.set(job.id, versionOf(job))
      }
      this.#lookedAt = now
    }
    const id = String(now.getTime())
    for (const listener of [...this.listeners].filter(({ isNew }) => isNew)) {
      const { missedFrom: since } = listener
      const missed = since ? await listChangedJobs(this.#db, { accountId, since, most }) : []
      for (const [at, job] of missed.toReversed().entries()) {
        if (at % eventsAtOnce === 0) await nextTurn()
        writeTo(listener, eventText('job', { id, data: await this.#textOf(job) }))
      }
      if (listener.seesCredits) {
        writeTo(listener, eventText('credits', { id, data: await this.#readCredits() }))
      }
      listener.isNew = false
    }
  }

  async #read(changed: readonly string[], looksAtAll: boolean): Promise<readonly JobView[]> {
    const { accountId } = this
    const jobs: JobView[] = []
    for (let at = 0; at < changed.length; at += jobsPerRead) {
      const jobIds = changed.slice(at, at + jobsPerRead)
      jobs.push(...(await getJobs(this.#db, { accountId, jobIds })))
    }
    if (!looksAtAll) return jobs
    const since = new Date((this.#lookedAt?.getTime() ?? Date.now()) - clockSkewMs)
    return [...jobs, ...(await listChangedJobs(this.#db, { accountId, since, most: mostJobs }))]
  }

  async #tell(job: JobView, id: string): Promise<void> {
    const version = versionOf(job)
    if (this.#told.get(job.id) === version) return
    this.#send(eventText('job', { id, data: await this.#textOf(job) }))
    this.#told.set(job.id, version)
    if (job.bulkId !== null) this.#bulks.add(job.bulkId)
  }

  async #textOf(job: JobView): Promise<string> {
    return JSON.stringify(await showJobEvent(this.#links, job))
  }

  async #tellBulks(id: string): Promise<void> {
    if (this.#bulks.size === 0 || Date.now() - this.#bulksReadAt < bulksMs) return
    const bulkIds = [...this.#bulks]
    this.#bulksReadAt = Date.now()
    const bulks = await getBulks(this.#db, { accountId: this.accountId, bulkIds })
    this.#bulks.clear()
    for (const bulk of bulks) {
      const { errors: _, ...shown } = showBulk(bulk)
      const data = JSON.stringify(shown)
      if (this.#told.get(bulk.id) === data) continue
      this.#told.set(bulk.id, data)
      this.#send(eventText('bulk', { id, data }))
    }
  }

  async #tellCredits(id: string): Promise<void> {
    const data = await this.#readCredits()
    if (data === this.#credits) return
    // The first balance is known to all: they were told of it when they came.
    if (this.#credits !== '') {
      this.#send(eventText('credits', { id, data }), ({ seesCredits }) => seesCredits)
    }
    this.#credits = data
  }

  async #readCredits(): Promise<string> {
    const account = await getAccount(this.#db, this.accountId)
    if (!account) throw new Error('The account of an open stream must exist')
    const { creditsBalance: balance, creditsReserved: reserved } = account
    return JSON.stringify({ balance, reserved, available: balance - reserved })
  }

  #send(text: string, to: (listener: AccountListener) => boolean = () => true): void {
    for (const listener of this.listeners) {
      if (!listener.isNew && to(listener)) writeTo(listener, text)
    }
  }
}
