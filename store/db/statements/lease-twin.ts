import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import type { LeasedTask, Lessee } from './lease-tasks.ts'

/** A second attempt must promise to be done in less than this share of what the first still needs. */
const twinShare = 0.6
/** A shard that runs shorter than this tells nothing about its speed. */
const twinLeastSeconds = 4

/**
 * Leases a straggler a second time, to a node that has nothing else to do: the first of both to
 * finish wins. A straggler is a render task that runs alone, of a job that has nothing more queued,
 * and that at its pace so far needs longer than the whole of it took at the pace of its siblings.
 * The one that would end last comes first (LATE: Zaharia et al., OSDI 2008). Only what runs is
 * looked at.
 */
export async function leaseTwin(
  db: Db,
  { nodeId, leaseMs }: Pick<Lessee, 'nodeId' | 'leaseMs'>,
): Promise<readonly LeasedTask[]> {
  const { rows } = await sql<LeasedTask>`${prepared('lease-twin')}
    with node as materialized (
      select n.id, n.offer, n.offer->>'pool' as pool,
        concat_ws(' ', offer->>'canvas', offer->>'device', offer->>'pool') as class
      from nodes n left join pools p on p.name = n.offer->>'pool'
        join farm_clock c on c.single_row
      where n.id = ${nodeId} and n.state = 'active' and n.pause = ''
        and (p.slots_max is null or p.slots_max >
          (select count(*) from attempts where state = 'running' and pool = p.name))
        and (c.slots_max is null or c.slots_max >
          (select count(*) from attempts where state = 'running'))
    ), straggler as (
      select t.id, t.attempt, late.remaining from attempts a
        join tasks t on t.id = a.task_id
        join task_shapes s on s.id = a.shape_id
        cross join node
        cross join lateral (
          select sum(extract(epoch from b.ended_at - b.leased_at)) / sum(b.cost) as seconds_a_unit
          from attempts b where b.job_id = a.job_id and b.shape_id = a.shape_id
            and b.state = 'completed'
        ) siblings
        cross join lateral (
          select extract(epoch from now() - a.leased_at) as elapsed
        ) clock
        cross join lateral (
          select clock.elapsed * (t.frames_total - a.frames_done) / greatest(a.frames_done, 1)
            as remaining
        ) late
      where a.state = 'running' and t.state = 'leased' and s.kind = 'render'
        and clock.elapsed > ${twinLeastSeconds}
        and siblings.seconds_a_unit * a.cost < ${twinShare} * late.remaining
        and a.node_id <> node.id and node.id <> all(t.failed_nodes)
        and task_lacks(s.kind, s.requirements, node.offer) = '{}'
        and not exists (
          select from attempts other where other.task_id = t.id and other.state = 'running'
            and other.attempt <> a.attempt
        )
        and not exists (select from tasks q where q.job_id = t.job_id and q.state = 'queued')
      order by late.remaining desc limit 4
    ), locked as materialized (
      select t.id from straggler join tasks t on t.id = straggler.id
      -- Its latest attempt still: nobody else has just begun a second one.
      where t.state = 'leased' and t.attempt = straggler.attempt
      order by straggler.remaining desc limit 1 for update of t skip locked
    ), leased as (
      update tasks set attempt = tasks.attempt + 1 from locked
      where tasks.id = locked.id
      returning tasks.*
    ), begun as (
      insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class,
        pool, cost, expires_at)
      select l.id, l.attempt, l.job_id, l.account_id, l.shape_id, node.id, node.class, node.pool,
        l.cost, now() + make_interval(secs => ${leaseMs / 1000})
      from leased l, node
    )
    select l.id, l.job_id as "jobId", l.account_id as "accountId", l.attempt, l.kind, l.spec,
      l.inputs, l.outputs
    from leased l`.execute(db)
  return rows
}
