import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Number of the latest attempts to measure. */
const window = 100
/** Seconds of work below which a measurement is meaningless. */
const leastSeconds = 1

/**
 * Measures the work (cost units) that one slot does in a second for a kind of rendering. It reads
 * the latest attempts by capable nodes of the class, and also counts the class's busy slots.
 * `costPerSecond` null: too little has been done to tell.
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
