import { sql } from 'kysely'
import {
  explainHeld,
  explainIdle,
  explainMediaRetry,
  explainRefused,
  explainWaiting,
  type MediaRetry,
  type Waiting,
  type WaitingFacts,
} from '../../../core/queue/waiting.ts'
import type { Db } from '../database.ts'
import { scaledSeconds } from '../fleet/note-scaled-pool.ts'
import { rememberedMinutes } from '../fleet/read-backlog.ts'
import { readIdleJob } from './read-idle-job.ts'

/** A node that was silent for longer does not count (scheduler/context.ts). */
const liveSeconds = 30

type Row = {
  readonly heldAt: Date | null
  readonly facts: WaitingFacts | null
  readonly retry: (MediaRetry & { readonly code: string }) | null
}

/** Reads why a job has nothing running; null when it has, or is between two steps. */
export async function readWaiting(db: Db, jobId: string): Promise<Waiting | null> {
  // Called only when needed: the function is planned anew on each call, which takes longer than all
  // else.
  const { rows } = await sql<Row>`
    select (
      select held_at from jobs where id = ${jobId} and finished_at is null
        and not exists (select from tasks r where r.job_id = ${jobId} and r.state = 'leased')
    ) as "heldAt", case when exists (
      select from tasks where job_id = ${jobId} and state = 'queued'
        and (not_before is null or not_before <= now())
    ) then waiting_facts(${jobId}, ${liveSeconds}, ${scaledSeconds},
      ${60 * rememberedMinutes}) end as facts, (
      select json_build_object('code', t.error->>'code', 'message', t.error->>'message',
        'field', coalesce(t.error->>'field', t.name),
        'seconds', extract(epoch from t.not_before - now())::float8)
      from tasks t
      where t.job_id = ${jobId} and t.state = 'queued' and t.not_before > now()
        and not exists (select from tasks r where r.job_id = t.job_id and r.state = 'leased')
      order by t.not_before limit 1
    ) as retry`.execute(db)
  const { heldAt, facts, retry } = rows[0] ?? {}
  if (heldAt) return explainHeld(heldAt.toISOString())
  if (facts) return explainWaiting(facts)
  if (retry) return retry.code === 'unavailable' ? explainRefused(retry) : explainMediaRetry(retry)
  const idle = await readIdleJob(db, jobId)
  return idle && explainIdle(idle)
}
