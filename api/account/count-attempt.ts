import type { FarmError } from '../../core/errors.ts'
import { countSignIn } from '../../store/db/accounts/count-sign-in.ts'
import type { Db } from '../../store/db/database.ts'
import { ProblemError } from '../gateway/problem.ts'

/** Counts an attempt with a password as failed, until it is forgotten. @throws FarmError after `most` */
export async function countAttempt(db: Db, subject: Buffer, most: number): Promise<void> {
  const { failures, secondsLeft } = await countSignIn(db, subject)
  if (failures > most) throw tooMany(most, secondsLeft)
}

function tooMany(most: number, seconds: number): FarmError {
  const rule = `At most ${most} sign-ins from one address may fail in 15 minutes`
  const message = `${rule}. Got more; try again in ${seconds} s`
  return new ProblemError('too_many_requests', message, { retryAfterSeconds: seconds })
}
