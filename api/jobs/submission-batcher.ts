import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import type { AccountDatabases } from '../../store/db/account-databases.ts'
import type { Db } from '../../store/db/database.ts'
import {
  type InsertedJob,
  insertJobsWithHold,
  maxQueuePosition,
  type NewJob,
  type StorableJob,
  storableJob,
} from '../../store/db/jobs/insert-jobs-with-hold.ts'

/** Largest text of one batch: that of one request of the largest size. */
const mostCharacters = 2_000_000
/** Weight of a job besides its text, so that a batch has a few hundred at most. */
const charactersOfJob = 8_000
/** Time for which a queue that exceeded the counted places is not counted again. */
const longQueueMs = 1_000

/**
 * Batches submissions, one batch at a time for each account: those that arrive meanwhile form the
 * next one. Each insert locks its account's row until it is on the disk. Two hundred single inserts
 * of one customer would hold every connection of the process, waiting for that row. Later requests,
 * also other customers', would be turned away.
 */
export class SubmissionBatcher {
  readonly #accounts: KeyedBatcher<StorableJob, InsertedJob>
  /** Moment by `performance.now()`. */
  #queueIsLongUntil = 0

  constructor(databases: AccountDatabases) {
    this.#accounts = new KeyedBatcher((accountId) => {
      const db = databases.of(accountId)
      return new Batcher((jobs) => this.#insertBatch(db, jobs), {
        most: mostCharacters,
        weigh: ({ request, warnings }) => charactersOfJob + request.length + warnings.length,
      })
    })
  }

  /** @throws FarmError when its request cannot be stored */
  async insert(job: NewJob): Promise<InsertedJob> {
    return await this.#accounts.submit(job.accountId, storableJob(job))
  }

  async #insertBatch(db: Db, jobs: readonly StorableJob[]): Promise<readonly InsertedJob[]> {
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
