import { Gather, GatherByKey } from '../runtime/gather.ts'
import type { AccountDatabases } from '../store/db/account-databases.ts'
import type { Db } from '../store/db/database.ts'
import {
  type InsertedJob,
  insertJobsWithHold,
  maxQueuePosition,
  type NewJob,
  type StorableJob,
  storableJob,
} from '../store/db/statements/insert-jobs-with-hold.ts'

/** Text that goes to the database in one round: that of one request as large as they may be. */
const mostCharacters = 2_000_000
/** What a job weighs beside its text, so that a round has a few hundred at most. */
const charactersOfJob = 8_000
/** A queue that was longer than places are counted is not counted again for so long. */
const longQueueMs = 1_000

/**
 * Inserts what is submitted, of each account one round after the other: what arrives while one is
 * under way goes in together by the next. Each job locks its account's row until it is on the disk.
 * Inserted one by one, two hundred of one customer would hold every connection of the process, each
 * waiting for that row, until those behind them are turned away, other customers as well.
 */
export class SubmissionRounds {
  readonly #accounts: GatherByKey<StorableJob, InsertedJob>
  /** By `performance.now()`. */
  #queueIsLongUntil = 0

  constructor(databases: AccountDatabases) {
    this.#accounts = new GatherByKey((accountId) => {
      const db = databases.of(accountId)
      return new Gather((jobs) => this.#insertRound(db, jobs), {
        most: mostCharacters,
        weigh: ({ request, warnings }) => charactersOfJob + request.length + warnings.length,
      })
    })
  }

  /** @throws FarmError when its request cannot be stored */
  async insert(job: NewJob): Promise<InsertedJob> {
    return await this.#accounts.ask(job.accountId, storableJob(job))
  }

  async #insertRound(db: Db, jobs: readonly StorableJob[]): Promise<readonly InsertedJob[]> {
    const isLong = performance.now() < this.#queueIsLongUntil
    const inserted = await insertJobsWithHold(db, jobs, { isLong })
    if (!isLong && inserted.some(isFarBack)) {
      this.#queueIsLongUntil = performance.now() + longQueueMs
    }
    return inserted
  }
}

function isFarBack(job: InsertedJob): boolean {
  return job.outcome === 'inserted' && job.queuePosition === maxQueuePosition
}
