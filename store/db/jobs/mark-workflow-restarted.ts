import { sql } from 'kysely'
import type { Db } from '../database.ts'

type OfJob = { readonly accountId: string; readonly jobId: string }

/** Answers whether operators have held a job since its workflow started. */
export async function wasHeld(db: Db, { accountId, jobId }: OfJob): Promise<boolean> {
  const { rows } = await sql`
    select from jobs where id = ${jobId} and account_id = ${accountId}
      and (held_at is not null or resumed_at > workflow_started_at)`.execute(db)
  return rows.length === 1
}

/** Records that a job has a new workflow: the time of holds before it does not count for this one. */
export async function markWorkflowRestarted(db: Db, { accountId, jobId }: OfJob): Promise<void> {
  await sql`update jobs set workflow_started_at = now()
    where id = ${jobId} and account_id = ${accountId}`.execute(db)
}
