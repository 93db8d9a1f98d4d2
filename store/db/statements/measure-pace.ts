import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** So many of the latest attempts are looked at. */
const window = 100
/** Less work than this tells nothing: seconds. */
const leastSeconds = 1

/**
 * How much of a kind of rendering one slot does in a second (cost units, enqueue-tasks.ts), of what
 * was completed last by nodes of the class that can do it, and how many of its slots are busy.
 * `costPerSecond` null: too little has been done to tell.
 *
 * Read from the attempts when it is asked, once for a job. Instead of: a running mean in a row for
 * each class, which every completion of the class would wait for.
 */
export async function measurePace(
  db: Db,
  { encoder, canvas, device }: { encoder: string; canvas: string; device: string },
): Promise<{ readonly costPerSecond: number | null; readonly running: number }> {
  const { rows } = await sql<{ costPerSecond: number | null; running: number }>`
    ${prepared('measure-pace')} with shape as materialized (
      select id from task_shapes where kind = 'render' and requirements->>'encoder' = ${encoder}
        and requirements->>'canvas' = ${canvas} and requirements->>'device' = ${device}
    ), lately as (
      select cost, extract(epoch from ended_at - leased_at)::float8 as seconds from attempts
      where state = 'completed' and shape_id in (select id from shape)
      order by ended_at desc limit ${window}
    )
    select case when sum(seconds) >= ${leastSeconds} then sum(cost) / sum(seconds) end
        as "costPerSecond",
      (select count(*) from attempts where state = 'running'
        and shape_id in (select id from shape)) as running
    from lately`.execute(db)
  return rows[0] ?? { costPerSecond: null, running: 0 }
}
