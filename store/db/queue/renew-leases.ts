import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Attempts that a node reports as held. */
export type Renewal = { readonly nodeId: string; readonly held: readonly HeldTask[] }

export type HeldTask = {
  readonly taskId: string
  readonly attempt: number
  readonly framesDone: number
  /** Number of times that it wrote its object `preview`. */
  readonly previews: number
  /** Outputs written so far that a player can use; absent: none. */
  readonly written?: readonly string[]
  /** New lines of its log, where an operator follows it; the first has the number `from`. */
  readonly log?: { readonly from: number; readonly lines: readonly string[] } | undefined
}

export type StoppedTask = {
  readonly nodeId: string
  readonly taskId: string
  readonly attempt: number
  readonly reason: 'cancelled' | 'superseded' | 'lost'
}

/** Segments of a held task that a player waits for. */
export type WantedSegments = {
  readonly nodeId: string
  readonly taskId: string
  readonly attempt: number
  readonly wanted: readonly number[]
}

/** A held task whose log an operator follows. */
export type FollowedTask = {
  readonly nodeId: string
  readonly taskId: string
  readonly attempt: number
  /** Lines of it that are kept (keep-live-logs.ts). */
  readonly lines: number
}

export type LeaseNews = StoppedTask | WantedSegments | FollowedTask

type Row = Pick<StoppedTask, 'nodeId' | 'taskId' | 'attempt'> & {
  readonly reason: StoppedTask['reason'] | null
  readonly wanted: readonly number[] | null
  readonly lines: number | null
}

/**
 * Renews the leases that nodes still hold and stores their progress in one statement; answers the
 * tasks that they must stop, the segments that they should render next, and the logs that operators
 * follow. An expired lease that was not taken away is renewed: the work is good.
 *
 * The commit does not wait for the disk: a server that crashes forgets the last half second of
 * renewals, and the next one repeats them (docs/decisions/0034).
 */
export async function renewLeases(
  db: Db,
  { renewals, leaseMs }: { renewals: readonly Renewal[]; leaseMs: number },
): Promise<readonly LeaseNews[]> {
  const held = renewals.flatMap((each) =>
    each.held.map((task) => ({ ...task, nodeId: each.nodeId })),
  )
  const { rows } = await sql<Row>`${prepared('renew-leases')}
    with held as (
      select * from unnest(
        ${held.map((task) => task.nodeId)}::uuid[],
        ${held.map((task) => task.taskId)}::uuid[],
        ${held.map((task) => task.attempt)}::integer[],
        ${held.map((task) => task.framesDone)}::integer[],
        ${held.map((task) => task.previews)}::integer[],
        ${held.map((task) => JSON.stringify(task.written ?? []))}::text[]
      ) as held (node_id, id, attempt, frames_done, previews, written)
    ), locked as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select tasks.id, tasks.frames_total, tasks.outputs ? 'preview' as shows,
        case when tasks.wanted_until > now() then tasks.wanted else '{}' end as wanted
      from tasks
      where tasks.id = any(array(select id from held)) and tasks.state = 'leased'
        and set_config('synchronous_commit', 'off', true) = 'off'
      order by tasks.id for update of tasks
    ), renewed as (
      update attempts set expires_at = now() + make_interval(secs => ${leaseMs / 1000}),
        frames_done = least(held.frames_done, locked.frames_total),
        written = array(select jsonb_array_elements_text(held.written::jsonb))
      from held join locked on locked.id = held.id
      where attempts.task_id = held.id and attempts.attempt = held.attempt
        and attempts.node_id = held.node_id and attempts.state = 'running'
      returning attempts.node_id, attempts.task_id, attempts.attempt, attempts.frames_done,
        locked.wanted,
        case when locked.shows then held.previews else 0 end as previews
    ), progress as (
      update tasks set frames_done = greatest(tasks.frames_done, renewed.frames_done),
        previews = greatest(tasks.previews, renewed.previews),
        preview_attempt = case when renewed.previews > tasks.previews then renewed.attempt
          else tasks.preview_attempt end,
        previewed_at = case when renewed.previews > tasks.previews then now()
          else tasks.previewed_at end
      from renewed where tasks.id = renewed.task_id
        and (tasks.frames_done < renewed.frames_done or tasks.previews < renewed.previews)
    )
    select distinct held.node_id as "nodeId", held.id as "taskId", held.attempt,
      case when a.state in ('cancelled', 'superseded') then a.state else 'lost' end as reason,
      null::integer[] as wanted, null::integer as lines
    from held left join attempts a on a.task_id = held.id and a.attempt = held.attempt
      and a.node_id = held.node_id
    where not exists (
      select from renewed where node_id = held.node_id and task_id = held.id and renewed.attempt = held.attempt
    )
    union all
    select node_id, task_id, attempt, null, wanted, null from renewed where wanted <> '{}'
    union all
    select r.node_id, r.task_id, r.attempt, null, null, l.lines
    from renewed r join live_logs l on l.task_id = r.task_id and l.attempt = r.attempt
    where l.followed_until > now()`.execute(db)
  return rows.map(({ reason, wanted, lines, ...task }) => {
    if (reason !== null) return { ...task, reason }
    return lines === null ? { ...task, wanted: wanted ?? [] } : { ...task, lines }
  })
}
