import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns the unspent credits of a job to the key or the agent that submitted it. */
export async function returnCredits(
  db: Db,
  { jobId, credits }: { jobId: string; credits: number },
): Promise<void> {
  if (credits === 0) return
  await sql`
    with job as (
      select api_key_id, agent_grant_id from jobs where id = ${jobId}
    ), agent as (
      update agent_grants g set credits_spent = g.credits_spent - ${credits} from job
      where g.id = job.agent_grant_id
    )
    update api_keys k set credits_spent = k.credits_spent - ${credits} from job
    where k.id = job.api_key_id and k.credit_cap is not null`.execute(db)
}
