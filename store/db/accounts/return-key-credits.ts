import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns the unspent credits of a job to the key that submitted it. */
export async function returnKeyCredits(
  db: Db,
  { jobId, credits }: { jobId: string; credits: number },
): Promise<void> {
  if (credits === 0) return
  await sql`
    update api_keys k set credits_spent = k.credits_spent - ${credits} from jobs j
    where j.id = ${jobId} and k.id = j.api_key_id and k.credit_cap is not null`.execute(db)
}
