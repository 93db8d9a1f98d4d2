import { sql } from 'kysely'
import { takenJobId } from '../../../core/jobs/jobs.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { spendKeyCredits } from '../accounts/spend-key-credits.ts'
import { explainInsufficient, type Insufficient, spendable } from '../accounts/spendable.ts'
import { type AgentRefusal, spendAgentCredits } from '../agents/spend-agent-credits.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { retryDeadlocks } from '../retry-deadlocks.ts'
import type { RefusedItem } from '../schema.ts'

export type NewBulk = {
  readonly id: string
  readonly accountId: string
  /** The key that submitted it; absent: a signed-in user. */
  readonly keyId?: string
  /** The connected agent that submitted it; absent: none. */
  readonly grantId?: string
  readonly name: string
  /** The template that the base's payload was copied from; absent: none. */
  readonly templateId?: string | undefined
  readonly base: unknown
  /** Address that receives each job's end, beside the account's endpoints. */
  readonly webhookUrl?: string | undefined
  /** Items of the request, including the refused ones. */
  readonly items: number
  readonly refused: readonly RefusedItem[]
  /** Jobs of the accepted items. Ids are unique. */
  readonly jobs: readonly NewBulkJob[]
}

export type NewBulkJob = {
  readonly id: string
  readonly index: number
  readonly type: 'video' | 'image'
  readonly name: string
  readonly item: unknown
  readonly credits: number
  readonly warnings: readonly Warning[]
}

/** `refused`: as given, with the items whose job id had been used. */
export type InsertedBulk =
  | {
      readonly outcome: 'inserted'
      readonly jobIds: readonly string[]
      readonly refused: readonly RefusedItem[]
      readonly creditsReserved: number
    }
  | { readonly outcome: 'nothing-left'; readonly refused: readonly RefusedItem[] }
  | Insufficient
  | {
      readonly outcome: 'over-cap'
      readonly cap: number
      readonly left: number
      readonly credits: number
    }
  | { readonly outcome: 'agent-refused'; readonly refusal: AgentRefusal; readonly credits: number }

/**
 * Inserts a bulk, its jobs and one hold for all of them, or nothing at all. Jobs whose id has been
 * used are left out and answered.
 *
 * The account is locked first and the jobs go in by id, so that submissions with common ids or
 * accounts wait in one order. The lock is weak enough for rows that only refer to the account (a
 * key's usage, which then locks the key). Only an insert shows whether an id is free: an earlier
 * look could be outdated, and does not see other accounts' jobs.
 *
 * Inserted again under its id, a bulk stays as it is and is answered as before.
 */
export async function insertBulkWithHold(db: Db, bulk: NewBulk): Promise<InsertedBulk> {
  return await retryDeadlocks(() => insertOnce(db, bulk))
}

async function insertOnce(db: Db, bulk: NewBulk): Promise<InsertedBulk> {
  const transaction = await db.startTransaction().execute()
  try {
    const inserted = await insertAll(transaction, bulk)
    await (inserted.outcome === 'inserted'
      ? transaction.commit()
      : transaction.rollback()
    ).execute()
    return inserted
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack)
      await transaction.rollback().execute()
    throw error
  }
}

async function insertAll(db: Db, bulk: NewBulk): Promise<InsertedBulk> {
  const { accountId } = bulk
  const account = await db
    .selectFrom('accounts')
    .select(spendable.as('available'))
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const same = await findSame(db, bulk)
  if (same) return same
  await db
    .insertInto('bulks')
    .values({
      ...{ id: bulk.id, account_id: accountId, name: bulk.name, items: bulk.items },
      ...{ base: jsonb(bulk.base), refused: '[]', workflow_seen_at: null },
      agent_grant_id: bulk.grantId ?? null,
    })
    .execute()
  const free = await insertJobs(db, bulk)
  const jobs = bulk.jobs.filter(({ id }) => free.has(id))
  const taken = bulk.jobs.filter(({ id }) => !free.has(id))
  const refused = [
    ...bulk.refused,
    ...taken.map(({ id, index }) => ({ index, details: [takenJobId(id)] })),
  ].toSorted((a, b) => a.index - b.index)
  if (jobs.length === 0) return { outcome: 'nothing-left', refused }
  const credits = jobs.reduce((sum, job) => sum + job.credits, 0)
  if (credits > account.available) {
    return await explainInsufficient(db, { accountId, credits })
  }
  await hold(db, { accountId, bulkId: bulk.id, credits })
  const over = bulk.keyId && (await spendKeyCredits(db, { keyId: bulk.keyId, credits }))
  if (over) return { outcome: 'over-cap', ...over, credits }
  const { grantId, items } = bulk
  const largest = Math.max(...jobs.map((job) => job.credits))
  const refusal =
    grantId !== undefined && (await spendAgentCredits(db, { grantId, credits, largest, items }))
  if (refusal) return { outcome: 'agent-refused', refusal, credits }
  await db
    .updateTable('bulks')
    .set({ refused: jsonb(refused) })
    .where('id', '=', bulk.id)
    .execute()
  const jobIds = jobs.map(({ id }) => id)
  return { outcome: 'inserted', jobIds, refused, creditsReserved: credits }
}

/** Finds a bulk that has been inserted, as its insertion was answered. */
export async function findSame(
  db: Db,
  { id, accountId }: Pick<NewBulk, 'id' | 'accountId'>,
): Promise<(InsertedBulk & { readonly outcome: 'inserted' }) | undefined> {
  const known = await db
    .selectFrom('bulks')
    .select('refused')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (known === undefined) return undefined
  const jobs = await db
    .selectFrom('jobs')
    .select(['id', 'credits_reserved'])
    .where('bulk_id', '=', id)
    .orderBy('bulk_index')
    .execute()
  return {
    outcome: 'inserted',
    jobIds: jobs.map((job) => job.id),
    refused: known.refused,
    creditsReserved: jobs.reduce((sum, job) => sum + job.credits_reserved, 0),
  }
}

/**
 * Inserts all jobs in one statement; answers the ids that were free. Creation times are a
 * microsecond apart, so that everything sorted by age follows the bulk's order.
 */
async function insertJobs(
  db: Db,
  { id, accountId, keyId, grantId, templateId, webhookUrl, jobs }: NewBulk,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into jobs (id, account_id, api_key_id, agent_grant_id, bulk_id, bulk_index, template_id, type, name,
      request, credits_reserved, warnings, webhook_url, created_at)
    select item.id, ${accountId}, ${keyId ?? null}::uuid, ${grantId ?? null}::uuid, ${id}, item.index, ${templateId ?? null},
      item.type, item.name, item.request,
      item.credits, item.warnings, ${webhookUrl ?? null}::text,
      now() + item.index * interval '1 microsecond'
    from unnest(
      ${jobs.map((job) => job.id)}::uuid[],
      ${jobs.map((job) => job.index)}::integer[],
      ${jobs.map((job) => job.type)}::text[],
      ${jobs.map((job) => job.name)}::text[],
      ${jobs.map((job) => jsonb(job.item))}::jsonb[],
      ${jobs.map((job) => job.credits)}::bigint[],
      ${jobs.map((job) => jsonb(job.warnings))}::jsonb[]
    ) as item (id, index, type, name, request, credits, warnings)
    order by item.id
    on conflict (id) do nothing
    returning id`.execute(db)
  return new Set(rows.map((row) => row.id))
}

/** The reserve moves in the statement that writes the ledger's row. */
async function hold(
  db: Db,
  { accountId, bulkId, credits }: { accountId: string; bulkId: string; credits: number },
): Promise<void> {
  await sql`
    with account as (
      update accounts set credits_reserved = credits_reserved + ${credits}
      where id = ${accountId} returning id
    )
    insert into credit_entries (account_id, bulk_id, kind, balance_change, reserved_change)
    select id, ${bulkId}, 'hold', 0, ${credits} from account`.execute(db)
}
