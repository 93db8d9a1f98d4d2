import type { Db } from '../database.ts'
import {
  type InsertedJob,
  insertJobsWithHold,
  type NewJob,
  storableJob,
} from './insert-jobs-with-hold.ts'

/**
 * Inserts one job, see `insertJobsWithHold`. @throws FarmError when its request cannot be stored
 */
export async function insertJobWithHold(db: Db, job: NewJob): Promise<InsertedJob> {
  const [inserted] = await insertJobsWithHold(db, [storableJob(job)])
  if (inserted === undefined) throw new Error('One job has one outcome')
  return inserted
}
