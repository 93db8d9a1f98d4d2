import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/db/database.ts'
import { notifySubmitted } from '../../store/db/jobs/notify-submitted.ts'

/** Jobs that are accepted within this time are one statement, however many requests bring them. */
const gatherMs = 100
const mostAtOnce = 1_000

/**
 * Tells the other replicas of jobs that this one has accepted. The insertion itself notifies nobody:
 * commits that notify wait for each other. Jobs of a notice that is lost are found by the next beat of a
 * stream.
 */
export class SubmissionNotices {
  readonly #db: Db
  readonly #log: Log
  readonly #jobIds: string[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor({ db, log }: { db: Db; log: Log }) {
    this.#db = db
    this.#log = log
  }

  add(jobIds: readonly string[]): void {
    this.#jobIds.push(...jobIds)
    this.#timer ??= setTimeout(() => this.#send(), gatherMs)
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#send()
    await this.#sending
  }

  #send(): void {
    this.#timer = undefined
    const jobIds = this.#jobIds.splice(0)
    this.#sending = this.#sending.then(() => this.#notify(jobIds))
  }

  async #notify(jobIds: readonly string[]): Promise<void> {
    try {
      for (let at = 0; at < jobIds.length; at += mostAtOnce) {
        await notifySubmitted(this.#db, jobIds.slice(at, at + mostAtOnce))
      }
    } catch (error) {
      this.#log.warn({ err: error, jobs: jobIds.length }, 'no replica is told of new jobs')
    }
  }
}
