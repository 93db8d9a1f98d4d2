import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Records that players wait for outputs of a job: segments, like `segment-3`, or its sound. Queued
 * shards with them take the earliest start tags among their account's queued shards of that shape,
 * in the order of `names`; those whose tags they took get theirs. So the account gains nothing. A
 * running shard is told which of its segments to render next.
 */
export async function wantOutputs(
  db: Db,
  { accountId, jobId, names }: { accountId: string; jobId: string; names: readonly string[] },
): Promise<void> {
  await sql`
    with shard as materialized (
      select t.id, t.shape_id, t.state, min(asked.place) as place, coalesce(
        array_agg(substr(asked.name, 9)::integer order by asked.place)
          filter (where asked.name like 'segment-%'), '{}') as segments
      from unnest(${names}::text[]) with ordinality as asked (name, place)
        join tasks t on t.outputs ? asked.name
      where t.job_id = ${jobId} and t.account_id = ${accountId} and t.kind = 'render'
        and t.state in ('queued', 'leased')
      group by t.id
    ), earliest as materialized (
      select first.id from (
        select shape_id, count(*) as shards from shard where state = 'queued' group by shape_id
      ) as queued cross join lateral (
        select t.id from tasks t
        where t.account_id = ${accountId} and t.shape_id = queued.shape_id and t.state = 'queued'
        order by t.virtual_start, t.created_at, t.id limit queued.shards
      ) as first
    ), held as materialized (
      -- By their ids alone, as lock-heads.ts.
      select t.id, t.shape_id, t.state, t.virtual_start, t.created_at from tasks t
      where t.id = any(array(select id from shard union select id from earliest))
      order by t.id for update skip locked
    ), locked as materialized (
      select * from held where state in ('queued', 'leased')
    ), tags as (
      select shape_id, virtual_start,
        row_number() over (partition by shape_id order by virtual_start) as turn
      from locked where state = 'queued'
    ), turns as (
      select l.id, l.shape_id, row_number() over (partition by l.shape_id
        order by s.place, l.virtual_start, l.created_at, l.id) as turn
      from locked l left join shard s on s.id = l.id where l.state = 'queued'
    ), after as (
      select l.id, coalesce(tags.virtual_start, l.virtual_start) as virtual_start,
        s.segments as segments
      from locked l left join shard s on s.id = l.id left join turns on turns.id = l.id
        left join tags on tags.shape_id = turns.shape_id and tags.turn = turns.turn
    )
    update tasks set virtual_start = after.virtual_start,
      wanted = coalesce(after.segments, tasks.wanted)
    from after where tasks.id = after.id
      and (tasks.virtual_start <> after.virtual_start
        or tasks.wanted <> coalesce(after.segments, tasks.wanted))`.execute(db)
}
