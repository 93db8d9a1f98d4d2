import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { laneGroups } from './lane-groups.ts'

/** An output of a job's task: a segment, like `segment-3`, the `sound`, or the whole `output`. */
export type JobOutput = { readonly jobId: string; readonly name: string }

/** Time for which a want counts. Players that go on waiting say so again before. */
const wantedMs = 8_000

/**
 * Records that players wait for outputs of an account's jobs. Queued tasks with them take the
 * earliest start tags among the account's queued tasks that the same nodes can do, in the order asked
 * for; those whose tags they took get theirs. So the account gains nothing. Tasks that others want go on
 * before those that nobody wants. A running shard is told which of its segments to render next.
 * All of it ends when nobody says so again (end-wants.ts).
 */
export async function wantOutputs(
  db: Db,
  { accountId, outputs }: { accountId: string; outputs: readonly JobOutput[] },
): Promise<void> {
  await sql`
    with player as (
      select ${accountId}::uuid as account_id
    ), ${laneGroups()}, asked as materialized (
      select t.id, t.shape_id, t.state, min(asked.place) as place, coalesce(
        array_agg(substr(asked.name, 9)::integer order by asked.place)
          filter (where asked.name like 'segment-%'), '{}') as segments
      from unnest(${outputs.map(({ jobId }) => jobId)}::uuid[],
        ${outputs.map(({ name }) => name)}::text[]) with ordinality as asked (job_id, name, place)
        join tasks t on t.job_id = asked.job_id and t.outputs ? asked.name
      where t.account_id = ${accountId} and t.kind in ('render', 'make')
        and t.state in ('queued', 'leased')
      group by t.id
    ), first as materialized (
      select asked.id, g.lane_group from asked join lane_group g using (shape_id)
      where asked.state = 'queued'
      union
      select t.id, g.lane_group from tasks t join lane_group g using (shape_id)
      where t.wanted_until > now() and t.account_id = ${accountId} and t.state = 'queued'
        and g.lane_group in (
          select lane_group from asked join lane_group using (shape_id)
          where asked.state = 'queued')
    ), earliest as materialized (
      -- As many of each lane: the earliest of all are among them.
      select id from (
        select early.*, wanted.tasks, row_number() over (
          partition by g.lane_group order by early.virtual_start, early.created_at, early.id) as turn
        from (select lane_group, count(*) as tasks from first group by lane_group) as wanted
          join lane_group g using (lane_group)
          cross join lateral (
            select t.id, t.virtual_start, t.created_at from tasks t
            where t.account_id = ${accountId} and t.shape_id = g.shape_id and t.state = 'queued'
            order by t.virtual_start, t.created_at, t.id limit wanted.tasks
          ) as early
      ) as early where turn <= tasks
    ), held as materialized (
      -- By their ids alone, as lock-heads.ts.
      select t.id, t.shape_id, t.state, t.virtual_start, t.created_at from tasks t
      where t.id = any(array(
        select id from asked union select id from first union select id from earliest))
      order by t.id for update skip locked
    ), locked as materialized (
      select held.*, coalesce(g.lane_group, '') as lane_group
      from held left join lane_group g using (shape_id) where state in ('queued', 'leased')
    ), tags as (
      select lane_group, virtual_start,
        row_number() over (partition by lane_group order by virtual_start) as turn
      from locked where state = 'queued'
    ), turns as (
      select l.id, l.lane_group, row_number() over (partition by l.lane_group
        order by a.place, first.id is null, l.virtual_start, l.created_at, l.id) as turn
      from locked l left join asked a on a.id = l.id left join first on first.id = l.id
      where l.state = 'queued'
    ), after as (
      select l.id, coalesce(tags.virtual_start, l.virtual_start) as virtual_start, a.segments
      from locked l left join asked a on a.id = l.id left join turns on turns.id = l.id
        left join tags on tags.lane_group = turns.lane_group and tags.turn = turns.turn
    )
    update tasks set virtual_start = after.virtual_start,
      own_start = case when tasks.virtual_start <> after.virtual_start
        then coalesce(tasks.own_start, tasks.virtual_start) else tasks.own_start end,
      wanted = coalesce(after.segments, tasks.wanted),
      wanted_until = case when after.segments is null then tasks.wanted_until
        else now() + make_interval(secs => ${wantedMs / 1000}) end
    from after where tasks.id = after.id
      and (tasks.virtual_start <> after.virtual_start or after.segments is not null)`.execute(db)
}
