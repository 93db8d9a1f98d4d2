import { sql } from 'kysely'
import { isFinal, type JobState } from '../../../core/jobs/jobs.ts'
import { type KeyCredits, spendKeyCredits } from '../accounts/spend-key-credits.ts'
import { type AgentRefusal, spendAgentCredits } from '../agents/spend-agent-credits.ts'
import { type Db, inTransaction } from '../database.ts'

/** `held`: credits that the job holds now. `missing`: credits that its hold lacks. */
export type ToppedUp =
  | { readonly outcome: 'held'; readonly held: number }
  | { readonly outcome: 'ended' }
  | { readonly outcome: 'insufficient'; readonly missing: number; readonly available: number }
  | ({ readonly outcome: 'over-cap'; readonly missing: number } & KeyCredits)
  | { readonly outcome: 'agent-refused'; readonly missing: number; readonly refusal: AgentRefusal }

/**
 * Raises a job's hold to `credits`, from the account's balance and under the caps of the job's
 * key or agent, or changes nothing. A large enough hold stays, so the call can be repeated. Locks job, account,
 * key in the order of settlement.
 */
export async function topUpHold(
  db: Db,
  { accountId, jobId, credits }: { accountId: string; jobId: string; credits: number },
): Promise<ToppedUp> {
  return await inTransaction(db, async (tx) => {
    const job = await lockJob(tx, { accountId, jobId })
    if (job === undefined || isFinal(job.state)) return { outcome: 'ended' }
    const missing = credits - job.reserved
    if (missing <= 0) return { outcome: 'held', held: job.reserved }
    const { available } = await tx
      .selectFrom('accounts')
      .select(sql<number>`credits_balance - credits_reserved`.as('available'))
      .where('id', '=', accountId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (missing > available) return { outcome: 'insufficient', missing, available }
    const over = job.keyId && (await spendKeyCredits(tx, { keyId: job.keyId, credits: missing }))
    if (over) return { outcome: 'over-cap', missing, ...over }
    const refusal =
      job.grantId &&
      (await spendAgentCredits(tx, { grantId: job.grantId, credits: missing, largest: credits }))
    if (refusal) return { outcome: 'agent-refused', missing, refusal }
    await writeTopUp(tx, { accountId, jobId, missing })
    return { outcome: 'held', held: credits }
  })
}

async function lockJob(
  tx: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<
  { state: JobState; reserved: number; keyId: string | null; grantId: string | null } | undefined
> {
  return await tx
    .selectFrom('jobs')
    .select([
      'state',
      'credits_reserved as reserved',
      'api_key_id as keyId',
      'agent_grant_id as grantId',
    ])
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The reserve moves in the statement that writes the ledger's row. */
async function writeTopUp(
  tx: Db,
  { accountId, jobId, missing }: { accountId: string; jobId: string; missing: number },
): Promise<void> {
  await sql`
    with account as (
      update accounts set credits_reserved = credits_reserved + ${missing}
      where id = ${accountId}
    ), job as (
      update jobs set credits_reserved = credits_reserved + ${missing}, updated_at = now()
      where id = ${jobId}
    )
    insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
    values (${accountId}, ${jobId}, 'top_up', 0, ${missing})`.execute(tx)
}
