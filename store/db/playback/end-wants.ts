import { sql } from 'kysely'
import { type Db, inTransaction } from '../database.ts'
import { lockLeasing } from '../queue/lock-leasing.ts'
import { laneGroups } from './lane-groups.ts'

/** Most tasks of a lane that move when a play ends: a lane may have a hundred thousand. */
const movedMax = 2_000

/**
 * Ends what players have wanted and have not asked for again: the account's queued tasks go on in
 * their own order, less those that were begun meanwhile. They share the start tags that they have,
 * so the account neither gains nor loses. Tasks that players still want stay in front.
 */
export async function endWants(db: Db): Promise<void> {
  // Most of the time nobody plays, and no lock is taken.
  const { rows } = await sql<{ over: boolean }>`
    select exists (select from tasks where wanted_until < now()) as over`.execute(db)
  if (rows[0]?.over !== true) return
  await inTransaction(db, async (tx) => {
    // A round would pass over the tasks that are locked here, and lease those of others.
    await lockLeasing(tx)
    await orderTasks(tx, await forgetWants(tx))
  })
}

async function forgetWants(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ accountId: string }>`
    with over as materialized (
      select id from tasks where wanted_until < now() order by id for update skip locked
    ), forgotten as (
      update tasks set wanted = '{}', wanted_until = null,
        own_start = case when state = 'queued' then own_start end
      from over where tasks.id = over.id
      returning account_id
    )
    select distinct account_id as "accountId" from forgotten`.execute(db)
  return rows.map(({ accountId }) => accountId)
}

async function orderTasks(db: Db, accountIds: readonly string[]): Promise<void> {
  await sql`
    with player as (
      select distinct unnest(${accountIds}::uuid[]) as account_id
    ), ${laneGroups()}, moved as materialized (
      select t.account_id, g.lane_group, array_agg(t.id) as ids,
        min(least(t.own_start, t.virtual_start)) as first,
        max(greatest(t.own_start, t.virtual_start)) as last
      from lane_group g join tasks t using (account_id, shape_id)
      where t.state = 'queued' and t.own_start is not null
      group by t.account_id, g.lane_group
    ), near as materialized (
      select t.id from moved join lane_group g using (account_id, lane_group) cross join lateral (
        select t.id from tasks t
        where t.state = 'queued' and t.shape_id = g.shape_id
          and t.account_id = moved.account_id
          and t.virtual_start between moved.first and moved.last
        order by t.virtual_start, t.created_at, t.id limit ${movedMax}
      ) as t
    ), held as materialized (
      -- By their ids alone, as lock-heads.ts.
      select t.id, t.account_id, coalesce((
          select g.lane_group from lane_group g
          where g.account_id = t.account_id and g.shape_id = t.shape_id
        ), '') as lane_group, t.state, t.virtual_start, t.created_at,
        coalesce(t.own_start, t.virtual_start) as own,
        coalesce(t.wanted_until > now(), false) as is_wanted
      from tasks t
      where t.id = any(array(select id from near union select unnest(ids) from moved))
      order by t.id for update
    ), lane_task as materialized (
      select *, bool_or(is_wanted) over (partition by account_id, lane_group) as has_players
      from held where state = 'queued'
    ), tags as (
      -- Tags are counted through all groups, which are as long in both orders.
      select virtual_start,
        row_number() over (order by account_id, lane_group, virtual_start) as turn
      from lane_task
    ), turns as (
      select *, row_number() over (order by account_id, lane_group,
        is_wanted desc, case when is_wanted then virtual_start end, own, created_at, id
      ) as turn
      from lane_task
    ), after as (
      select turns.id, tags.virtual_start, case when turns.has_players
        and tags.virtual_start <> turns.own then turns.own end as own_start
      from turns join tags using (turn)
    )
    update tasks set virtual_start = after.virtual_start, own_start = after.own_start
    from after where tasks.id = after.id and (tasks.virtual_start <> after.virtual_start
      or tasks.own_start is distinct from after.own_start)`.execute(db)
}
