import { sql } from 'kysely'
import type { JobError, JobResult, JobState } from '../../../core/jobs.ts'
import { type Db, inTransaction } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import { cancelTasksOfJob } from './cancel-tasks-of-job.ts'
import { filesExpireAt } from './files-expire-at.ts'
import { moveJob } from './move-job.ts'
import { returnKeyCredits } from './return-key-credits.ts'
import { writeDeliveries } from './write-deliveries.ts'

/** How a job ends. A failed one is never charged; a cancelled one for the frames painted for it. */
export type Settlement =
  | {
      readonly to: 'completed'
      readonly result: JobResult
      readonly outputKey: string
      readonly thumbnailKey: string | null
      /** The files' signed addresses, for those who are told. */
      readonly links: OutputLinks
      /** Absent = all that was held; never more. */
      readonly charge?: number
    }
  | { readonly to: 'failed'; readonly error: JobError }
  | { readonly to: 'cancelled'; readonly charge: number }

export type OutputLinks = { readonly url: string; readonly thumbnailUrl: string | null }

/** `ageSeconds`: from its submission to this end. */
export type SettledJob =
  | { readonly settled: true; readonly state: JobState; readonly ageSeconds: number }
  | { readonly settled: false; readonly state: JobState }

/**
 * Ends a job: state, result, ledger, the deliveries that tell of it and what is left of its tasks
 * in one transaction. Settling
 * again changes nothing and answers what stands. Undefined: no such job.
 */
export async function settleJob(
  db: Db,
  {
    accountId,
    jobId,
    reason,
    settlement,
  }: { accountId: string; jobId: string; reason: string; settlement: Settlement },
): Promise<SettledJob | undefined> {
  return await inTransaction(db, async (tx) => {
    const job = await moveJob(tx, { accountId, jobId, to: settlement.to, reason })
    if (!job?.moved) return job && { settled: false, state: job.state }
    const charge = chargeOf(settlement, job.creditsReserved)
    await writeEnd(tx, { jobId, settlement, charge })
    const { templateId } = job
    if (settlement.to !== 'cancelled') {
      await tell(tx, { accountId, jobId, templateId, settlement, charge })
    }
    // Late, because all that end a job of the account wait here for each other.
    await settleCredits(tx, { accountId, jobId, reserved: job.creditsReserved, charge })
    await returnKeyCredits(tx, { jobId, credits: job.creditsReserved - charge })
    await cancelTasksOfJob(tx, { accountId, jobId })
    return { settled: true, state: job.state, ageSeconds: job.ageSeconds }
  })
}

function chargeOf(settlement: Settlement, reserved: number): number {
  switch (settlement.to) {
    case 'completed':
      return Math.min(settlement.charge ?? reserved, reserved)
    case 'failed':
      return 0
    case 'cancelled':
      return Math.min(settlement.charge, reserved)
    default:
      return settlement satisfies never
  }
}

/** The hold becomes a capture of `charge` and a release of the rest, in one statement. */
async function settleCredits(
  db: Db,
  {
    accountId,
    jobId,
    reserved,
    charge,
  }: { accountId: string; jobId: string; reserved: number; charge: number },
): Promise<void> {
  await sql`
    ${prepared('settle-credits')} with account as (
      update accounts set credits_balance = credits_balance - ${charge}::bigint,
        credits_reserved = credits_reserved - ${reserved}::bigint
      where id = ${accountId} returning id
    )
    insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
    select account.id, ${jobId}::uuid, entry.kind, entry.balance_change, entry.reserved_change
    from account, (values
      ('capture', -(${charge}::bigint), -(${charge}::bigint)),
      ('release', 0, ${charge}::bigint - ${reserved}::bigint)
    ) as entry (kind, balance_change, reserved_change)
    where entry.reserved_change <> 0`.execute(db)
}

async function writeEnd(
  db: Db,
  { jobId, settlement, charge }: { jobId: string; settlement: Settlement; charge: number },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      credits_charged: charge,
      files_expire_at: filesExpireAt(settlement.to),
      ...(settlement.to === 'completed' && {
        result: jsonb(settlement.result),
        output_key: settlement.outputKey,
        thumbnail_key: settlement.thumbnailKey,
      }),
      ...(settlement.to === 'failed' && { error: jsonb(settlement.error) }),
    })
    .where('id', '=', jobId)
    .modifyEnd(prepared(`write-end-${settlement.to}`))
    .execute()
}

type Told = Exclude<Settlement, { to: 'cancelled' }>

async function tell(
  db: Db,
  {
    accountId,
    jobId,
    templateId,
    settlement,
    charge: creditsCharged,
  }: {
    accountId: string
    jobId: string
    templateId: string | null
    settlement: Told
    charge: number
  },
): Promise<void> {
  const told = { jobId, at: new Date().toISOString() }
  if (settlement.to === 'failed') {
    const data = { status: settlement.to, error: settlement.error, creditsCharged }
    await writeDeliveries(db, { accountId, happening: { ...told, event: 'render.failed', data } })
    return
  }
  const { url, thumbnailUrl } = settlement.links
  const { duration, size } = settlement.result
  const data = {
    ...{ status: settlement.to, url, thumbnailUrl, duration, size, creditsCharged },
    templateId,
  }
  await writeDeliveries(db, { accountId, happening: { ...told, event: 'render.completed', data } })
}
