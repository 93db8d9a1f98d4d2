import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Records that a player waits for segments of a job. A queued shard of them takes the earliest start
 * tag of its account's queued shards, and gives its own in return: the account gains nothing. A
 * running one is told which of its segments to render next.
 */
export async function wantSegments(
  db: Db,
  { accountId, jobId, segments }: { accountId: string; jobId: string; segments: readonly number[] },
): Promise<void> {
  await sql`
    with shard as materialized (
      select t.id, t.shape_id, t.state, t.virtual_start from tasks t
      where t.job_id = ${jobId} and t.account_id = ${accountId} and t.kind = 'render'
        and t.state in ('queued', 'leased')
        and t.spec->'segments' @> any(array(
          select to_jsonb(segment) from unnest(${segments}::integer[]) as segment))
      order by t.virtual_start limit 1
    ), first as materialized (
      select t.id, t.virtual_start from tasks t join shard on shard.shape_id = t.shape_id
      where shard.state = 'queued' and t.state = 'queued' and t.account_id = ${accountId}
      order by t.virtual_start, t.created_at, t.id limit 1
    ), pair as materialized (
      select t.id from tasks t
      where t.id in (select id from shard union select id from first)
      order by t.id for update skip locked
    )
    update tasks set wanted = case when tasks.id = shard.id
        then ${segments}::integer[] else tasks.wanted end,
      virtual_start = case
        when shard.state <> 'queued' or first.id is null or (select count(*) from pair) < 2
          then tasks.virtual_start
        when tasks.id = shard.id then first.virtual_start
        else shard.virtual_start end
    from pair cross join shard left join first on true
    where tasks.id = pair.id
      and (tasks.id <> shard.id or tasks.wanted <> ${segments}::integer[]
        or first.id is not null and first.id <> shard.id)`.execute(db)
}
