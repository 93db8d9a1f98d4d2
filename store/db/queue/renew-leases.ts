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

export type LeaseNews = StoppedTask | WantedSegments

type Row = Pick<StoppedTask, 'nodeId' | 'taskId' | 'attempt'> & {
  readonly reason: StoppedTask['reason'] | null
  readonly wanted: readonly number[] | null
}

/**
 * Renews the leases that nodes still hold and stores their progress in one statement; answers the
 * tasks that they must stop, and the segments that they should render next. An expired lease that
 * was not taken away is renewed: the work is good.
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
      null::integer[] as wanted
    from held left join attempts a on a.task_id = held.id and a.attempt = held.attempt
      and a.node_id = held.node_id
    where not exists (
      select from renewed where node_id = held.node_id and task_id = held.id and renewed.attempt = held.attempt
    )
    union all
    select node_id, task_id, attempt, null, wanted from renewed where wanted <> '{}'`.execute(db)
  return rows.map(({ reason, wanted, ...task }) =>
    reason === null ? { ...task, wanted: wanted ?? [] } : { ...task, reason },
  )
}
