import { type RawBuilder, sql } from 'kysely'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput } from '../schema.ts'

export type LeasedTask = {
  readonly id: string
  readonly jobId: string
  readonly accountId: string
  readonly attempt: number
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  readonly outputs: readonly string[]
}

/**
 * Leases up to `limit` tasks to an active node: the smallest start tags of what it can do.
 *
 * `for update skip locked` lets any number of lessees take different rows without waiting for each
 * other. Instead of: an advisory lock around the queue (one lessee at a time), or `update … where
 * id = (select …)` without a lock (two take the same row, one gets nothing and tries again).
 *
 * A node that failed a task gets it back only when no other node that was seen lately could take it.
 */
export async function leaseTasks(
  db: Db,
  {
    nodeId,
    limit,
    leaseMs,
    nodeLiveMs,
  }: { nodeId: string; limit: number; leaseMs: number; nodeLiveMs: number },
): Promise<readonly LeasedTask[]> {
  const { rows } = await sql<LeasedTask>`
    with node as (
      select id, offer from nodes where id = ${nodeId} and state = 'active'
    ), picked as (
      select t.id, t.virtual_start from tasks t, node
      where t.state = 'queued'
        and ${fits(sql`node.offer`)}
        and (node.id <> all(t.failed_nodes) or not exists (
          select from nodes other
          where other.state = 'active'
            and other.last_seen_at > now() - make_interval(secs => ${nodeLiveMs / 1000})
            and other.id <> all(t.failed_nodes)
            and ${fits(sql`other.offer`)}
        ))
      order by t.virtual_start, t.created_at, t.id
      limit ${limit} for update of t skip locked
    ), latest as (
      select max(virtual_start) as tag from picked
    ), free_clock as (
      select single_row from farm_clock, latest where virtual_time < tag
      for update of farm_clock skip locked
    ), clock as (
      -- Start-time fair queueing: the farm's virtual time is the largest start tag taken so far.
      -- When another lessee is moving it, it is left to that one: a clock that is late by one lease
      -- harms nobody, and waiting would put all commits in a row (20 lessees, 4,000 tasks, two busy
      -- cores: 240 leases a second waiting, 530 skipping).
      update farm_clock set virtual_time = latest.tag
      from latest, free_clock where farm_clock.single_row = free_clock.single_row
    )
    update tasks set state = 'leased', attempt = tasks.attempt + 1, node_id = ${nodeId},
      lease_expires_at = now() + make_interval(secs => ${leaseMs / 1000}),
      leased_at = now(), frames_done = 0, previews = 0, previewed_at = null
    from picked where tasks.id = picked.id
    returning tasks.id, tasks.job_id as "jobId", tasks.account_id as "accountId", tasks.attempt,
      tasks.kind, tasks.spec, tasks.inputs, tasks.outputs`.execute(db)
  return rows
}

/** Whether an offer has the task's kind and all of its requirements. */
function fits(offer: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${offer}->'kinds' ? t.kind
    and (t.requirements->>'encoder' is null
      or ${offer}->'encoders' ? (t.requirements->>'encoder'))
    and (t.requirements->>'soundEncoder' is null
      or ${offer}->'encoders' ? (t.requirements->>'soundEncoder'))
    and (t.requirements->>'canvas' is null or ${offer}->>'canvas' = t.requirements->>'canvas')
    and (t.requirements->>'device' is null or ${offer}->>'device' = t.requirements->>'device')`
}
