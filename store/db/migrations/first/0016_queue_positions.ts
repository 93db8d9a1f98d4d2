import { type Kysely, sql } from 'kysely'

/**
 * Limits a place in the queue to a thousand (`maxQueuePosition`). It is read at every submission
 * and every look at a waiting job, and a long queue slowed each of them. Waiting jobs of a bulk
 * delay no other job, so the index leaves them out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of ['drop index jobs_queued', index, position])
    await sql.raw(statement).execute(db)
}

const index = `create index jobs_in_the_way on jobs (created_at, id)
  where state = 'queued' and (bulk_id is null or workflow_started_at is not null)`

const position = `
  create or replace function queue_position(created timestamptz, job uuid, bulk text) returns bigint
  language sql stable security definer
  return (
    select count(*) from (
      select from jobs
      where state = 'queued' and (bulk_id is null or workflow_started_at is not null)
        and (created_at, id) <= (created, job)
      limit 1000
    ) as others
  ) + (
    select count(*) from jobs
    where bulk_id = bulk and state = 'queued' and workflow_started_at is null
      and (created_at, id) <= (created, job)
  )`
