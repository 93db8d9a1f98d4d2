import type { Db } from '../database.ts'
import { type AttemptFailure, endAttempt } from './fail-task.ts'

export type ExpiredLease = {
  readonly taskId: string
  readonly nodeId: string | null
  readonly attempt: number
  readonly retried: boolean
}

const batch = 100

const nodeLost: AttemptFailure = {
  code: 'node_lost',
  message: 'The machine that did the work was lost.',
  logTail: '',
}

/**
 * Takes up to a hundred leases away whose time is over, by the database's clock. Replicas that
 * sweep at the same time skip each other's rows.
 */
export async function expireLeases(db: Db): Promise<readonly ExpiredLease[]> {
  return await db.transaction().execute(async (tx) => {
    const tasks = await tx
      .selectFrom('tasks')
      .selectAll()
      .where('state', '=', 'leased')
      .where('lease_expires_at', '<', (eb) => eb.fn<Date>('now'))
      .orderBy('lease_expires_at')
      .limit(batch)
      .forUpdate()
      .skipLocked()
      .execute()
    const expired: ExpiredLease[] = []
    for (const task of tasks) {
      const { retried } = await endAttempt(tx, task, nodeLost)
      expired.push({ taskId: task.id, nodeId: task.node_id, attempt: task.attempt, retried })
    }
    return expired
  })
}
