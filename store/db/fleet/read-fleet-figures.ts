import { sql } from 'kysely'
import type { NodeState } from '../../../core/fleet/node-states.ts'
import type { JobState } from '../../../core/jobs/jobs.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import { planShareRows, priorityRows } from '../queue/plan-shares.ts'

/** Figures of the whole farm. Ages are of the oldest, in seconds by the database's clock. */
export type FleetFigures = {
  /** Tasks by the pool they must run in (null: in any) and kind. */
  readonly queues: readonly {
    readonly pool: string | null
    readonly kind: TaskKind
    readonly tasks: number
    /** Tasks among them that no node which takes work could take. */
    readonly unmatched: number
    readonly oldestSeconds: number
  }[]
  /** Running attempts, by the pool of their node ('': it names none). */
  readonly leases: readonly {
    readonly pool: string
    readonly kind: TaskKind
    readonly running: number
    readonly encoderSessions: number
  }[]
  /**
   * Active nodes that spoke within the hour, leaving ones that still speak, and those decided
   * about.
   */
  readonly nodes: readonly {
    readonly pool: string
    readonly state: NodeState | 'paused' | 'silent'
    readonly nodes: number
    readonly slots: number
    readonly encoderSessions: number
  }[]
  readonly limits: readonly { readonly pool: string; readonly slots: number }[]
  /**
   * Work that each account waiting for a minute or longer received, divided by that work's weight.
   */
  readonly shares: readonly number[]
  readonly jobs: readonly { readonly state: JobState; readonly jobs: number }[]
  readonly outbox: { readonly unsent: number; readonly oldestSeconds: number }
  readonly deliveries: {
    readonly pending: number
    /** Age among deliveries without a workflow. */
    readonly oldestUnstartedSeconds: number
  }
  readonly doomedObjects: number
  /** WAL that Postgres archives; null: `archive_mode` is off. `isFailing`: its last attempt failed. */
  readonly walArchive: { readonly ageSeconds: number; readonly isFailing: boolean } | null
}

/**
 * Reads all figures by one statement, for the scheduler's metrics. It uses indexes of what is
 * queued, running, open or unsent, and of completed attempts by their minute, so old work costs
 * nothing. It grows with the queue (counted in the index alone: docs/decisions/0028) and with the
 * nodes of the last day.
 *
 * Shares cover accounts that wanted more during the whole minute and were not limited by their own
 * burst. They count the cost (frames of 720p) of the attempts completed in it. As in the queue's
 * order, a weight is the account's times the priority's; several waiting priorities add up.
 */
export async function readFleetFigures(
  db: Db,
  { seenWithinMs }: { seenWithinMs: number },
): Promise<FleetFigures> {
  const { rows } = await sql<FleetFigures>`
    with recursive step (shape_id, account_id) as (
      -- From lane to lane, as queue/lease-tasks.ts: grouping all queued tasks reads the whole table when
      -- they are many, with all that have ended.
      select s.id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = s.id order by t.account_id limit 1) from task_shapes s
      union all
      select l.shape_id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = l.shape_id and t.account_id > l.account_id order by t.account_id limit 1)
      from step l where l.account_id is not null
    ), lane as materialized (
      select step.shape_id, step.account_id, queued.tasks, queued.oldest
      from step cross join lateral (
        select count(*) as tasks, min(t.created_at) as oldest from tasks t
        where t.state = 'queued' and t.shape_id = step.shape_id and t.account_id = step.account_id
      ) queued
      where step.account_id is not null
    ), running as materialized (
      select a.account_id, a.pool, s.kind, s.requirements
      from attempts a join task_shapes s on s.id = a.shape_id where a.state = 'running'
    ), node as materialized (
      select offer, offer->>'pool' as pool, (offer->>'slots')::integer as slots,
        coalesce((offer->>'encoderSessions')::integer, 0) as sessions,
        case when state = 'active'
            and last_seen_at <= now() - make_interval(secs => ${seenWithinMs / 1000}) then 'silent'
          when state = 'active' and pause <> '' then 'paused' else state end as state
      from nodes
      where state in ('cordoned', 'draining', 'quarantined')
        or last_seen_at > now() - case state when 'leaving'
          then make_interval(secs => ${seenWithinMs / 1000}) else interval '1 hour' end
    ), offer as materialized (
      select distinct offer from node where state = 'active'
    ), shape as materialized (
      select s.kind, s.requirements->>'pool' as pool, sum(lane.tasks) as tasks,
        min(lane.oldest) as oldest,
        exists (select from offer where task_lacks(s.kind, s.requirements, offer) = '{}') as fits
      from lane join task_shapes s on s.id = lane.shape_id group by s.id
    ), queue as (
      select pool, kind, sum(tasks) as tasks,
        coalesce(sum(tasks) filter (where not fits), 0) as unmatched,
        extract(epoch from now() - min(oldest))::float8 as "oldestSeconds"
      from shape group by pool, kind
    ), lease as (
      select pool, kind, count(*) as running,
        coalesce(sum((requirements->>'encoderSessions')::integer), 0) as "encoderSessions"
      from running group by pool, kind
    ), fleet as (
      select pool, state, count(*) as nodes, sum(slots) as slots,
        sum(sessions) as "encoderSessions"
      from node group by pool, state
    ), served as (
      select a.account_id, j.priority, sum(a.cost) as cost
      from attempts a join jobs j on j.id = a.job_id
      where a.state = 'completed' and a.ended_at > now() - interval '1 minute'
      group by a.account_id, j.priority
    ), waiting as (
      select account_id from lane group by account_id
      having min(oldest) < now() - interval '1 minute'
    ), flow as (
      -- The lanes do not tell priorities apart, and open jobs are few beside queued tasks.
      select distinct j.account_id, j.priority
      from jobs j join waiting w on w.account_id = j.account_id
      where j.finished_at is null and exists (
        select from tasks t where t.job_id = j.id and t.state = 'queued'
          and t.created_at < now() - interval '1 minute'
      )
    ), share as (
      select coalesce(sum(served.cost), 0)
        / (a.weight * plan_share.weight * sum(priority_weight.weight)) as got
      from flow f join accounts a on a.id = f.account_id
        join ${planShareRows()} on plan_share.plan = a.plan
        join ${priorityRows()} on priority_weight.priority = f.priority
        left join served on served.account_id = f.account_id and served.priority = f.priority
      where (select count(*) from running r where r.account_id = a.id)
        < coalesce(a.slots_burst, plan_share.burst)
      group by a.id, a.weight, plan_share.weight
    ), job as (
      select state, count(*) as jobs from jobs where finished_at is null group by state
    )
    select
      (select coalesce(jsonb_agg(queue), '[]') from queue) as queues,
      (select coalesce(jsonb_agg(lease), '[]') from lease) as leases,
      (select coalesce(jsonb_agg(fleet), '[]') from fleet) as nodes,
      (select coalesce(jsonb_agg(jsonb_build_object('pool', name, 'slots', slots_max)), '[]')
        from pools) as limits,
      (select coalesce(jsonb_agg(got), '[]') from share) as shares,
      (select coalesce(jsonb_agg(job), '[]') from job) as jobs,
      (select jsonb_build_object('unsent', count(*), 'oldestSeconds',
          coalesce(extract(epoch from now() - min(created_at)), 0)::float8)
        from task_words where sent_at is null) as outbox,
      (select jsonb_build_object('pending', count(*), 'oldestUnstartedSeconds', coalesce(extract(
          epoch from now() - min(created_at) filter (where started_at is null)), 0)::float8)
        from webhook_deliveries where status = 'pending') as deliveries,
      (select count(*) from doomed_objects where not_before < now()) as "doomedObjects",
      (select jsonb_build_object(
          -- An archiver that never succeeded counts from when its figures began.
          'ageSeconds', greatest(0, extract(epoch from now() - coalesce(last_archived_time, stats_reset)))::float8,
          'isFailing', coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false))
        from pg_stat_archiver where current_setting('archive_mode') <> 'off'
      ) as "walArchive"`.execute(db)
  const [figures] = rows
  if (figures === undefined) throw new Error('A statement without a table must answer a row.')
  return figures
}
