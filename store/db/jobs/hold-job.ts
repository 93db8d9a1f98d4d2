import { sql } from 'kysely'
import type { Priority } from '../../../core/queue/shares.ts'
import type { Db } from '../database.ts'
import { handBackTasks } from '../queue/hand-back-tasks.ts'
import { notifyQueuedTasks } from '../queue/notify-queued-tasks.ts'
import { holdsTask } from '../queue/requeued-state.ts'
import { retagQueued } from '../queue/set-priority.ts'

/**
 * Holds a job: its queued tasks leave the queue, and those that come later do not enter it. Its running
 * tasks finish, or are taken back with `takesBack`. A held job may be held again, with another reason.
 * Call it in a transaction. @returns false: it has ended
 */
export async function holdJob(
  tx: Db,
  { jobId, reason, takesBack }: { jobId: string; reason: string; takesBack: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update jobs set held_at = coalesce(held_at, now()), hold_reason = ${reason}
    where id = ${jobId} and finished_at is null`.execute(tx)
  if (numAffectedRows !== 1n) return false
  // Each is a statement of its own, so that it sees what the holders of the locks before it did.
  await sql`
    select from tasks where job_id = ${jobId} and state in ('queued', 'leased')
    order by id for update`.execute(tx)
  await sql`
    update tasks set state = 'held', own_start = null from jobs j
    where tasks.job_id = ${jobId} and j.id = ${jobId} and tasks.state = 'queued'
      and ${holdsTask(sql`tasks.kind`)}`.execute(tx)
  if (takesBack) await takeBack(tx, jobId)
  return true
}

async function takeBack(tx: Db, jobId: string): Promise<void> {
  const { rows } = await sql<{ nodeId: string; taskId: string; attempt: number }>`
    select a.node_id as "nodeId", a.task_id as "taskId", a.attempt
    from attempts a join tasks t on t.id = a.task_id join jobs j on j.id = a.job_id
    where a.job_id = ${jobId} and a.state = 'running' and ${holdsTask(sql`t.kind`)}`.execute(tx)
  for (const { nodeId, ...attempt } of rows) {
    await handBackTasks(tx, { nodeId, attempts: [attempt] })
  }
}

/**
 * Lets a held job go on. Its tasks return to the queue as if they came now: a hold earns no turn. Call it
 * in a transaction. @returns false: it is not held, or has ended
 */
export async function resumeJob(tx: Db, jobId: string): Promise<boolean> {
  const { rows } = await sql<{ accountId: string; priority: Priority }>`
    update jobs set held_at = null, hold_reason = '', resumed_at = now()
    where id = ${jobId} and held_at is not null and finished_at is null
    returning account_id as "accountId", priority`.execute(tx)
  const [job] = rows
  if (job === undefined) return false
  await sql`
    with held as materialized (
      select id from tasks where job_id = ${jobId} and state = 'held' order by id for update
    ), queued as (
      update tasks set state = 'queued' from held where tasks.id = held.id
      returning tasks.kind, tasks.requirements
    ), told as (
      ${notifyQueuedTasks(sql`queued`)}
    )
    select count(*) from told`.execute(tx)
  await retagQueued(tx, { jobId, ...job })
  return true
}
