import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type AttemptFailure, endAttempt, type FailedAttempt } from './fail-task.ts'
import { type Attempt, lockTask, readAttempt } from './lock-attempt.ts'

export type ExpiredLease = Attempt & FailedAttempt

const batch = 100

const nodeLost: AttemptFailure = {
  code: 'node_lost',
  message: 'The machine that did the work was lost.',
  logTail: '',
}

/**
 * Takes away up to a hundred leases that have expired by the database's clock. Concurrent sweeps
 * skip each other's rows. A small index lists what runs, so the cost follows the fleet's slots, not
 * the queue.
 */
export async function expireLeases(db: Db): Promise<readonly ExpiredLease[]> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<Attempt>`
      select a.task_id as "taskId", a.attempt, a.node_id as "nodeId"
      from attempts a join tasks t on t.id = a.task_id
      where a.state = 'running' and a.expires_at < now()
      order by t.id limit ${batch} for update of t skip locked`.execute(tx)
    const expired: ExpiredLease[] = []
    for (const attempt of rows) {
      const task = await lockTask(tx, attempt.taskId)
      // Read again: the first of two attempts of a task may have ended the second.
      const held = await readAttempt(tx, attempt)
      if (
        task?.state !== 'leased' ||
        held?.state !== 'running' ||
        held.expires_at > (await now(tx))
      )
        continue
      const ended = await endAttempt(tx, { task, attempt, to: 'lost', failure: nodeLost })
      expired.push({ ...attempt, ...ended })
    }
    return expired
  })
}

/** Returns the transaction's start time. */
async function now(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  return rows[0]?.now ?? new Date(0)
}
