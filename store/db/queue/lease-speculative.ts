import { sql } from 'kysely'
import { type Db, inTransaction } from '../database.ts'
import { prepared } from '../prepared.ts'
import { lockLeasing } from './lock-leasing.ts'
import { planShareRows } from './plan-shares.ts'
import type { LeasedTask } from './take-tasks.ts'
import { usedOfNode } from './used-of-node.ts'

/**
 * A second attempt must promise to be done in less than this share of the first one's remaining
 * time.
 */
const speculativeShare = 0.6
/** A shard renewed earlier than this reveals nothing about its speed. */
const speculativeAfterSeconds = 4

/**
 * Speculative execution: leases a straggler a second time, to one of the idle nodes. The first
 * attempt to finish wins.
 *
 * A straggler is a render task that runs alone, in a job with nothing more queued. At its pace it
 * needs longer for the rest than the whole would take at its siblings' pace. The one that would end
 * last comes first (LATE: Zaharia et al., OSDI 2008). Only running attempts are read, and the
 * completed ones of jobs near their end, each once.
 *
 * All limits hold as for any lease: of the farm, pool, account, job and node. So it is a round of
 * its own between leasing rounds.
 */
export async function leaseSpeculative(
  db: Db,
  asked: { nodeIds: readonly string[]; leaseMs: number },
): Promise<LeasedTask | undefined> {
  return await inTransaction(db, async (tx) => {
    await lockLeasing(tx)
    return await takeStraggler(tx, asked)
  })
}

async function takeStraggler(
  db: Db,
  { nodeIds, leaseMs }: { nodeIds: readonly string[]; leaseMs: number },
): Promise<LeasedTask | undefined> {
  const { rows } = await sql<LeasedTask>`${prepared('lease-speculative')}
    with running as materialized (
      -- Its frames are those of its latest renewal, so its time is the time until then.
      select a.*, told.at - extract(epoch from a.leased_at) as elapsed,
        extract(epoch from now()) - told.at as told_ago
      from attempts a
        cross join lateral (select extract(epoch from a.expires_at) - ${leaseMs / 1000} as at) told
      where a.state = 'running'
    ), old as materialized (
      select r.* from running r join task_shapes s on s.id = r.shape_id
      where s.kind = 'render' and r.elapsed > ${speculativeAfterSeconds}
    ), tail as materialized (
      select j.job_id from (select distinct job_id from old) j
        join jobs on jobs.id = j.job_id and jobs.held_at is null
      where not exists (select from tasks q where q.job_id = j.job_id and q.state = 'queued')
    ), pace as materialized (
      select b.job_id, b.shape_id,
        sum(extract(epoch from b.ended_at - b.leased_at)) / sum(b.cost) as seconds_a_unit
      from tail join attempts b on b.job_id = tail.job_id
      where b.state = 'completed' group by b.job_id, b.shape_id
    ), late as materialized (
      select o.task_id, o.attempt, o.node_id, o.shape_id, t.failed_nodes, left_over.seconds
      from old o join pace p on p.job_id = o.job_id and p.shape_id = o.shape_id
        join tasks t on t.id = o.task_id
        cross join lateral (
          select o.elapsed * (t.frames_total - o.frames_done) / greatest(o.frames_done, 1)
            - o.told_ago as seconds
        ) left_over
        join accounts a on a.id = o.account_id
        join ${planShareRows()} on plan_share.plan = a.plan
      where t.state = 'leased' and p.seconds_a_unit * o.cost < ${speculativeShare} * left_over.seconds
        and coalesce(a.slots_burst, burst) >
          (select count(*) from running r where r.account_id = o.account_id)
        and job_slots > (select count(*) from running r where r.job_id = o.job_id)
        and not exists (
          select from running other
          where other.task_id = o.task_id and other.attempt <> o.attempt
        )
    ), node as materialized (
      select n.id, n.offer, n.offer->>'pool' as pool,
        concat_ws(' ', n.offer->>'canvas', n.offer->>'device', n.offer->>'pool') as class,
        nullif((n.offer->>'memoryMb')::float8, 0) - used.memory as memory,
        coalesce((n.offer->>'gpuMemoryMb')::float8, 0) - used.gpu_memory as gpu_memory,
        nullif((n.offer->>'encoderSessions')::float8, 0) - used.sessions as sessions
      from nodes n left join pools p on p.name = n.offer->>'pool'
        join farm_clock c on c.single_row
        cross join lateral ${usedOfNode()} used
      where exists (select from late) and n.id = any(${nodeIds}::uuid[])
        and n.state = 'active' and n.pause = ''
        and (p.slots_max is null or p.slots_max >
          (select count(*) from running r where r.pool = p.name))
        and (c.slots_max is null or c.slots_max > (select count(*) from running))
    ), straggler as (
      select late.task_id, late.attempt, late.seconds, fit.id as node_id from late
        join task_shapes s on s.id = late.shape_id
        cross join lateral (
          select node.id from node
          where node.id <> late.node_id and node.id <> all(late.failed_nodes)
            and task_lacks(s.kind, s.requirements, node.offer) = '{}'
            and coalesce((s.requirements->>'memoryMb')::float8 <= node.memory, true)
            and coalesce((s.requirements->>'gpuMemoryMb')::float8, 0)
              <= greatest(node.gpu_memory, 0)
            and coalesce((s.requirements->>'encoderSessions')::float8 <= node.sessions, true)
          limit 1
        ) fit
      order by late.seconds desc limit 4
    ), locked as materialized (
      select t.id, straggler.node_id from straggler join tasks t on t.id = straggler.task_id
      -- Its latest attempt still: nobody else has just begun a second one.
      where t.state = 'leased' and t.attempt = straggler.attempt
      order by straggler.seconds desc limit 1 for update of t skip locked
    ), leased as (
      update tasks set attempt = tasks.attempt + 1 from locked
      where tasks.id = locked.id
      returning tasks.*, locked.node_id
    ), begun as (
      insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class,
        pool, cost, expires_at)
      select l.id, l.attempt, l.job_id, l.account_id, l.shape_id, node.id, node.class, node.pool,
        l.cost, now() + make_interval(secs => ${leaseMs / 1000})
      from leased l join node on node.id = l.node_id
    )
    select l.node_id as "nodeId", l.id, l.job_id as "jobId", l.account_id as "accountId",
      l.attempt, l.kind, l.spec, l.inputs, l.outputs,
      coalesce((l.requirements->>'slots')::float8, 1) as slots
    from leased l`.execute(db)
  return rows[0]
}
