import { sql } from 'kysely'

/**
 * Common table expressions that group shapes of queued tasks by the nodes that can do them:
 * `lane_group (account_id, shape_id, lane_group)`, for the accounts of the table `player (account_id)`. Tasks
 * of one group compete for the same nodes with the same other accounts, so an account may exchange
 * their turns and takes none from others.
 */
export function laneGroups() {
  return sql`queued_shape as materialized (
      -- One probe each, as lock-heads.ts.
      select player.account_id, s.id as shape_id, s.kind, s.requirements
      from player cross join task_shapes s
        cross join lateral (
          select from tasks t where t.state = 'queued' and t.shape_id = s.id
            and t.account_id = player.account_id order by t.virtual_start limit 1
        ) some_task
    ), offer as materialized (
      select distinct offer from nodes where state = 'active'
    ), lane_group as materialized (
      select account_id, shape_id, case when able = '{}' then shape_id::text else able::text end as lane_group
      from queued_shape s cross join lateral (
        select array(
          select md5(o.offer::text) from offer o
          where task_lacks(s.kind, s.requirements, o.offer) = '{}' order by 1
        ) as able
      ) as fit
    )`
}
