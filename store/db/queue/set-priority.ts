import { sql } from 'kysely'
import { type Priority, priorityWeights } from '../../../core/queue/shares.ts'
import type { Db } from '../database.ts'
import { planShareRows } from './plan-shares.ts'

/**
 * Changes a job's priority. Its queued tasks get new tags, as if they came now: behind the
 * account's work of the new priority, and free of that of the old one. False when there is no such
 * job, or it has ended. Call it in a transaction.
 */
export async function setPriority(
  db: Db,
  { jobId, priority }: { jobId: string; priority: Priority },
): Promise<boolean> {
  const { rows } = await sql<{ accountId: string }>`
      update jobs set priority = ${priority} where id = ${jobId} and finished_at is null
      returning account_id as "accountId"`.execute(db)
  const accountId = rows[0]?.accountId
  if (accountId === undefined) return false
  await retagQueued(db, { jobId, accountId, priority })
  return true
}

/**
 * Gives a job's queued tasks new start tags, as if they came now. Call it in the transaction that has
 * locked the job.
 */
export async function retagQueued(
  db: Db,
  { jobId, accountId, priority }: { jobId: string; accountId: string; priority: Priority },
): Promise<void> {
  await sql`select from accounts where id = ${accountId} for update`.execute(db)
  await sql`
      with queued as materialized (
        select id from tasks where job_id = ${jobId} and state = 'queued'
        order by id for update skip locked
      ), flow as (
        select a.weight * plan_share.weight * ${priorityWeights[priority]}::float8 as weight,
          greatest(c.virtual_time, f.virtual_finish) as start
        from accounts a join ${planShareRows()} on plan_share.plan = a.plan
          cross join farm_clock c
          left join flows f on f.account_id = a.id and f.priority = ${priority}
        where a.id = ${accountId}
      ), tag as (
        select t.id, flow.start + (sum(t.cost) over before - t.cost) / flow.weight as virtual_start,
          flow.start + sum(t.cost) over before / flow.weight as virtual_finish
        from tasks t join queued on queued.id = t.id cross join flow
        window before as (order by t.virtual_start, t.created_at, t.id)
      ), tagged as (
        update tasks set virtual_start = tag.virtual_start, own_start = null
        from tag where tasks.id = tag.id
      )
      insert into flows (account_id, priority, virtual_finish)
      select ${accountId}, ${priority}, max(virtual_finish) from tag having count(*) > 0
      on conflict (account_id, priority) do update set virtual_finish = excluded.virtual_finish`.execute(
    db,
  )
}
