import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { HeldTask } from './renew-leases.ts'

/** Most characters of a log that are kept: of longer ones the oldest lines go. */
const keptLength = 65_536

/** New lines of a log that somebody follows. */
export type ToldLines = Pick<HeldTask, 'taskId' | 'attempt'> & {
  readonly nodeId: string
  /** Number of the first one. */
  readonly from: number
  /** At least one. */
  readonly lines: readonly string[]
}

/**
 * Adds lines to the logs of running attempts that operators follow. Lines that are there already change
 * nothing; where some are missing in between, the log begins anew.
 */
export async function keepLiveLogs(db: Db, told: readonly ToldLines[]): Promise<void> {
  await sql`
    with told as (
      select * from unnest(${told.map(({ taskId }) => taskId)}::uuid[],
        ${told.map(({ attempt }) => attempt)}::integer[],
        ${told.map(({ nodeId }) => nodeId)}::uuid[],
        ${told.map(({ from }) => from)}::integer[],
        ${told.map(({ from, lines }) => from + lines.length)}::integer[],
        ${told.map(({ lines }) => `${lines.join('\n')}\n`)}::text[]
      ) as told (task_id, attempt, node_id, first, lines, text)
    ), locked as (
      select l.task_id, l.attempt, told.lines,
        case when told.first = l.lines then l.log || told.text else told.text end as log
      from live_logs l join told using (task_id, attempt)
        join attempts a using (task_id, attempt)
      where a.node_id = told.node_id and a.state = 'running' and told.first >= l.lines
       
        and l.followed_until > now()
      order by l.task_id, l.attempt for update of l
    )
    update live_logs l set lines = locked.lines,
      log = case when length(locked.log) <= ${keptLength} then locked.log
        else regexp_replace(right(locked.log, ${keptLength}), '^[^\n]*\n', '') end
    from locked where l.task_id = locked.task_id and l.attempt = locked.attempt`.execute(db)
}
