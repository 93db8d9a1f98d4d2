import { sql } from 'kysely'
import { explainWaiting, type Waiting, type WaitingFacts } from '../../../core/waiting.ts'
import type { Db } from '../database.ts'

/** A node that was silent for so long is not counted on (scheduler/context.ts). */
const liveSeconds = 30

/** Why a job has nothing running; null when it has, or has nothing in the queue. */
export async function readWaiting(db: Db, jobId: string): Promise<Waiting | null> {
  const { rows } = await sql<{ facts: WaitingFacts | null }>`
    select waiting_facts(${jobId}, ${liveSeconds}) as facts`.execute(db)
  const facts = rows[0]?.facts
  return facts ? explainWaiting(facts) : null
}
