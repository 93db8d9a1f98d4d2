import { sql } from 'kysely'
import pg from 'pg'
import type { Warning } from '../../../core/project/lint/warning.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

export type NewJob = {
  readonly id: string
  readonly accountId: string
  readonly type: 'video' | 'image'
  readonly name: string
  readonly request: unknown
  readonly credits: number
  /** The key that submitted it; absent: someone signed in. */
  readonly keyId?: string
  /** Absent = none. */
  readonly warnings?: readonly Warning[]
  /** Told of the job's end, beside the account's endpoints. */
  readonly webhookUrl?: string | undefined
}

export type InsertedJob =
  | { readonly outcome: 'inserted' }
  | { readonly outcome: 'duplicate' }
  | {
      readonly outcome: 'insufficient'
      readonly creditsRequired: number
      readonly creditsAvailable: number
    }

const uniqueViolation = '23505'

/**
 * The job, its hold and the account's reserve in one statement: there is no moment at which one
 * exists without the others, and no two submissions can spend the same credit.
 *
 * Instead of: reading the balance and then writing (measured: 15,274 of 5,000 credits spent in
 * 3 s), or `select … for update` first (right, but a round trip more while the row is locked).
 */
export async function insertJobWithHold(db: Db, job: NewJob): Promise<InsertedJob> {
  try {
    const { numAffectedRows } = await sql`
      with account as (
        update accounts set credits_reserved = credits_reserved + ${job.credits}
        where id = ${job.accountId} and credits_balance - credits_reserved >= ${job.credits}
        returning id
      ), job as (
        insert into jobs (id, account_id, api_key_id, type, name, request, credits_reserved, warnings,
          webhook_url)
        select ${job.id}, id, ${job.keyId ?? null}::uuid, ${job.type}, ${job.name}, ${jsonb(job.request)}::jsonb,
          ${job.credits}, ${jsonb(job.warnings ?? [])}::jsonb,
          ${job.webhookUrl ?? null}::text
        from account
        returning id, account_id
      )
      insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
      select account_id, id, 'hold', 0, ${job.credits} from job`.execute(db)
    if (numAffectedRows === 1n) return { outcome: 'inserted' }
  } catch (error) {
    // The whole statement is undone, so the refused copy holds nothing.
    if (isDuplicate(error)) return { outcome: 'duplicate' }
    throw error
  }
  return await whyNot(db, job)
}

function isDuplicate(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === uniqueViolation &&
    error.constraint === 'jobs_pkey'
  )
}

async function whyNot(db: Db, job: NewJob): Promise<InsertedJob> {
  const known = await db.selectFrom('jobs').select('id').where('id', '=', job.id).executeTakeFirst()
  if (known !== undefined) return { outcome: 'duplicate' }
  const account = await db
    .selectFrom('accounts')
    .select(['credits_balance', 'credits_reserved'])
    .where('id', '=', job.accountId)
    .executeTakeFirstOrThrow()
  return {
    outcome: 'insufficient',
    creditsRequired: job.credits,
    creditsAvailable: account.credits_balance - account.credits_reserved,
  }
}
