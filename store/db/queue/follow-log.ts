import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Time for which a reader counts as following; who follows on reads again before. */
const followedSeconds = 30
/** A reading moves the end of that time only when it is nearer than this. */
const renewedSeconds = 20
/** Ended logs that were followed stay this long. */
const keptHours = 1
/** A stopped node may store the log of a followed attempt a little later than the attempt ends. */
const storingSeconds = 60

/** Newest lines of a followed log. */
export type LiveLog = {
  /** Each line ends in a line break. */
  readonly log: string
  /** Lines of the attempt so far, those before `log` included. */
  readonly lines: number
  /** True: the attempt ended so long ago that its node stores nothing of it any more. */
  readonly isOver: boolean
}

/**
 * Reads what a node has told of an attempt's log. While the attempt runs, the node is asked to go on for
 * half a minute. Undefined: nobody has followed it.
 */
export async function followLog(
  db: Db,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
): Promise<LiveLog | undefined> {
  await sql`
    insert into live_logs (task_id, attempt, followed_until)
    select task_id, attempt, now() + ${followedSeconds} * interval '1 second' from attempts
    where task_id = ${taskId} and attempt = ${attempt} and state = 'running'
    on conflict (task_id, attempt) do update set followed_until = excluded.followed_until
      where live_logs.followed_until < now() + ${renewedSeconds} * interval '1 second'`.execute(db)
  const { rows } = await sql<LiveLog>`
    select log, lines,
      not exists (
        select from attempts a
        where a.task_id = live_logs.task_id and a.attempt = live_logs.attempt
          and coalesce(a.ended_at, now()) > now() - ${storingSeconds} * interval '1 second'
      ) as "isOver"
    from live_logs where task_id = ${taskId} and attempt = ${attempt}`.execute(db)
  return rows[0]
}

/** Removes up to `limit` logs that nobody follows any more. @returns how many were removed */
export async function forgetLiveLogs(
  db: Db,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from live_logs where ctid in (
      select ctid from live_logs
      where followed_until < now() - ${keptHours} * interval '1 hour'
      order by followed_until limit ${limit} for update skip locked
    )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
