import { sql } from 'kysely'
import {
  explainIdle,
  explainWaiting,
  type Waiting,
  type WaitingFacts,
} from '../../../core/waiting.ts'
import type { Db } from '../database.ts'
import { readIdleJob } from './read-idle-job.ts'

/** A node that was silent for so long is not counted on (scheduler/context.ts). */
const liveSeconds = 30

/** Why a job has nothing running; null when it has, or is just between two steps. */
export async function readWaiting(db: Db, jobId: string): Promise<Waiting | null> {
  // The function is planned anew each time it is called, which takes longer than all else.
  const { rows } = await sql<{ facts: WaitingFacts | null }>`
    select case when exists (
      select from tasks where job_id = ${jobId} and state = 'queued'
    ) then waiting_facts(${jobId}, ${liveSeconds}) end as facts`.execute(db)
  const facts = rows[0]?.facts
  if (facts) return explainWaiting(facts)
  const idle = await readIdleJob(db, jobId)
  return idle && explainIdle(idle)
}
