import { sql } from 'kysely'
import type { IdleJob } from '../../../core/queue/waiting.ts'
import type { Db } from '../database.ts'

/** Reads why an open job has no task in the queue or on a node; null: it is no such job. */
export async function readIdleJob(db: Db, jobId: string): Promise<IdleJob | null> {
  const { rows } = await sql<IdleJob>`
    select a.plan, j.state <> 'queued' or j.workflow_started_at is not null as "isStarted",
      -- Not by updated_at: the sweeper moves it when it has looked at the job. One that waited for
      -- others' segments looks for them by and by (workflows/definitions/render-job.ts).
      case when j.awaited_segments = '{}' then
        extract(epoch from now() - greatest(j.created_at, j.workflow_started_at,
          (select max(begun::timestamptz) from jsonb_each_text(j.stages) stage (name, begun)),
          (select max(t.finished_at) from tasks t where t.job_id = j.id)))::float8
      else 0 end as "quietSeconds",
      case when j.bulk_id is not null then (
        select json_build_object(
          'running', count(*) filter (where b.workflow_started_at is not null),
          'ahead', count(*) filter (
            where b.workflow_started_at is null and b.bulk_index < j.bulk_index))
        from jobs b
        where b.bulk_id = j.bulk_id and b.account_id = j.account_id and b.finished_at is null
      ) end as bulk,
      awaited.segments, awaited.jobs, fetching.fetchers
    from jobs j join accounts a on a.id = j.account_id
      cross join lateral (
        select count(*) as segments, coalesce(json_agg(distinct c.job_id), '[]') as jobs
        from segment_claims c join jobs other on other.id = c.job_id
          and other.finished_at is null and other.held_at is null
        where c.account_id = j.account_id and c.job_id <> j.id
          and c.fingerprint = any(j.awaited_segments)
      ) awaited
      cross join lateral (
        select coalesce(json_agg(distinct other.id), '[]') as fetchers
        from jobs other join tasks t on t.job_id = other.id
        where other.workflow_group = j.workflow_group and other.account_id = j.account_id
          and other.finished_at is null and other.id <> j.id
          and t.kind = 'ingest' and t.state in ('queued', 'leased')
          and not exists (select from tasks own where own.job_id = j.id and own.kind = 'ingest')
      ) fetching
    where j.id = ${jobId} and j.finished_at is null and not exists (
      select from tasks t where t.job_id = j.id and t.state in ('queued', 'leased')
    )`.execute(db)
  return rows[0] ?? null
}
