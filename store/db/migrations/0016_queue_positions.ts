import { type Kysely, sql } from 'kysely'

/**
 * A job's place in the queue is counted up to a thousand: it is asked at every submission and every
 * look at a job that waits, and a long queue made each of them slow. `maxQueuePosition`, too, says so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function queue_position(created timestamptz, job uuid, bulk text) returns bigint
    language sql stable security definer
    return (select count(*) from (
      select from jobs
      where state = 'queued' and (created_at, id) <= (created, job)
        and (bulk_id is null or workflow_started_at is not null or bulk_id = bulk)
      limit 1000
    ) as waiting)`.execute(db)
}
