import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** An output of a job's task: a segment, like `segment-3`, the `sound`, or the whole `output`. */
export type JobOutput = { readonly jobId: string; readonly name: string }

/** Time for which a want counts. Players that go on waiting say so again before. */
const wantedMs = 8_000

/**
 * Records that players wait for outputs of an account's jobs. Queued tasks with them take the
 * earliest start tags among the account's queued tasks of that shape, in the order asked for; those
 * whose tags they took get theirs. So the account gains nothing. Tasks that others want go on
 * before those that nobody wants. A running shard is told which of its segments to render next.
 * All of it ends when nobody says so again (end-wants.ts).
 */
export async function wantOutputs(
  db: Db,
  { accountId, outputs }: { accountId: string; outputs: readonly JobOutput[] },
): Promise<void> {
  await sql`
    with asked as materialized (
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
      select id, shape_id from asked where state = 'queued'
      union
      select t.id, t.shape_id from tasks t
      where t.wanted_until > now() and t.account_id = ${accountId} and t.state = 'queued'
        and t.shape_id in (select shape_id from asked where state = 'queued')
    ), earliest as materialized (
      select early.id from (select shape_id, count(*) as tasks from first group by shape_id) as lane
        cross join lateral (
          select t.id from tasks t
          where t.account_id = ${accountId} and t.shape_id = lane.shape_id and t.state = 'queued'
          order by t.virtual_start, t.created_at, t.id limit lane.tasks
        ) as early
    ), held as materialized (
      -- By their ids alone, as lock-heads.ts.
      select t.id, t.shape_id, t.state, t.virtual_start, t.created_at from tasks t
      where t.id = any(array(
        select id from asked union select id from first union select id from earliest))
      order by t.id for update skip locked
    ), locked as materialized (
      select * from held where state in ('queued', 'leased')
    ), tags as (
      select shape_id, virtual_start,
        row_number() over (partition by shape_id order by virtual_start) as turn
      from locked where state = 'queued'
    ), turns as (
      select l.id, l.shape_id, row_number() over (partition by l.shape_id
        order by a.place, first.id is null, l.virtual_start, l.created_at, l.id) as turn
      from locked l left join asked a on a.id = l.id left join first on first.id = l.id
      where l.state = 'queued'
    ), after as (
      select l.id, coalesce(tags.virtual_start, l.virtual_start) as virtual_start, a.segments
      from locked l left join asked a on a.id = l.id left join turns on turns.id = l.id
        left join tags on tags.shape_id = turns.shape_id and tags.turn = turns.turn
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
