import { sql } from 'kysely'
import pg from 'pg'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { type KeyCredits, spendKeyCredits } from '../accounts/spend-key-credits.ts'
import { explainInsufficient, type Insufficient, spendable } from '../accounts/spendable.ts'
import { type AgentRefusal, spendAgentCredits } from '../agents/spend-agent-credits.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import { retryDeadlocks } from '../retry-deadlocks.ts'

export type NewJob = {
  readonly id: string
  readonly accountId: string
  readonly type: 'video' | 'image'
  readonly name: string
  readonly request: unknown
  readonly credits: number
  /** The key that submitted it; absent: a signed-in user. */
  readonly keyId?: string
  /** The key has a spending cap. Absent = it has none. */
  readonly isKeyCapped?: boolean
  /** The connected agent that submitted it; absent: none. */
  readonly grantId?: string
  /** Absent = none. */
  readonly warnings?: readonly Warning[]
  /** The template that the request's payload was copied from. Absent = none. */
  readonly templateId?: string
  /** Act of an Idempotency-Key that creates it: repeating the act inserts nothing twice. */
  readonly submissionId?: string
  /** Address that receives the job's end, beside the account's endpoints. */
  readonly webhookUrl?: string | undefined
}

/** A job whose documents are text that Postgres takes. */
export type StorableJob = Omit<NewJob, 'request' | 'warnings'> & {
  readonly request: string
  readonly warnings: string
}

export type InsertedJob =
  | { readonly outcome: 'inserted'; readonly queuePosition: number }
  | { readonly outcome: 'duplicate' }
  | Insufficient
  | ({ readonly outcome: 'over-cap' } & KeyCredits)
  | { readonly outcome: 'agent-refused'; readonly refusal: AgentRefusal }

/** Places in the queue are counted no further (migration 0016). */
export const maxQueuePosition = 1000

const uniqueViolation = '23505'

/** @throws FarmError when the request holds text that no row can hold */
export function storableJob({ request, warnings = [], ...job }: NewJob): StorableJob {
  return { ...job, request: jsonb(request), warnings: jsonb(warnings) }
}

/**
 * Inserts jobs of one account, with the same results as if each were inserted alone, in order.
 *
 * They are tried as one batch. If one of them is refused, each half is tried by itself: many good
 * ones cost one statement, and a bad one among them costs its own few.
 */
export async function insertJobsWithHold(
  db: Db,
  jobs: readonly StorableJob[],
  options: Queue = {},
): Promise<readonly InsertedJob[]> {
  const [job] = jobs
  if (job === undefined) return []
  const insert = () => insertAll(db, jobs, options)
  // After a deadlock, only a new transaction can repeat anything.
  const tried = await (db.isTransaction ? insert() : retryDeadlocks(insert))
  if (tried.outcome === 'inserted') {
    return tried.positions.map((queuePosition) => ({ outcome: 'inserted', queuePosition }))
  }
  if (jobs.length === 1) return [await explain(db, job, tried)]
  const half = Math.ceil(jobs.length / 2)
  const first = await insertJobsWithHold(db, jobs.slice(0, half), options)
  return [...first, ...(await insertJobsWithHold(db, jobs.slice(half), options))]
}

/** `isLong`: the queue is known to exceed the largest counted place, so it need not be counted. */
type Queue = { readonly isLong?: boolean }

type Refused =
  | { readonly outcome: 'taken' | 'insufficient' }
  | ({ readonly outcome: 'over-cap' } & KeyCredits)
  | { readonly outcome: 'agent-refused'; readonly refusal: AgentRefusal }
type Tried = { readonly outcome: 'inserted'; readonly positions: readonly number[] } | Refused

/**
 * Inserts all of them or none. Only jobs of capped keys and of agents pay for a transaction of two
 * statements.
 */
async function insertAll(db: Db, jobs: readonly StorableJob[], queue: Queue): Promise<Tried> {
  const capped = jobs.flatMap(({ keyId, isKeyCapped, credits }) =>
    isKeyCapped && keyId !== undefined ? [{ keyId, credits }] : [],
  )
  const agents = jobs.flatMap(({ grantId, credits }) =>
    grantId === undefined ? [] : [{ grantId, credits }],
  )
  try {
    if (capped.length === 0 && agents.length === 0) return await hold(db, jobs, queue)
    return await db.transaction().execute(async (tx) => {
      const held = await hold(tx, jobs, queue)
      if (held.outcome !== 'inserted') throw new Undone(held)
      for (const [keyId, spent] of Map.groupBy(capped, (each) => each.keyId)) {
        const over = await spendKeyCredits(tx, { keyId, credits: creditsOf(spent) })
        if (over) throw new Undone({ outcome: 'over-cap', ...over })
      }
      for (const [grantId, spent] of Map.groupBy(agents, (each) => each.grantId)) {
        const largest = Math.max(...spent.map(({ credits }) => credits))
        const spending = { grantId, credits: creditsOf(spent), largest }
        const refusal = await spendAgentCredits(tx, spending)
        if (refusal) throw new Undone({ outcome: 'agent-refused', refusal })
      }
      return held
    })
  } catch (error) {
    if (error instanceof Undone) return error.refused
    // The statement is rolled back, so a copy of a job holds nothing.
    if (isTaken(error)) return { outcome: 'taken' }
    throw error
  }
}

/** Rolls back the transaction after something was written that may not stay. */
class Undone extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super(refused.outcome)
    this.refused = refused
  }
}

/**
 * Writes the jobs, their holds, the account's reserve and the places in the queue in one statement:
 * none ever exists without the others, and no two submissions can spend the same credit. Creation
 * times are a microsecond apart, so that sorting by age keeps their order. Ids go in sorted, so
 * that concurrent batches with common ids wait in one order.
 *
 * Rejected: reading the balance and then writing (measured: 15,274 of 5,000 credits spent in 3 s),
 * or `select … for update` first (right, but a round trip more while the row is locked).
 */
async function hold(
  db: Db,
  jobs: readonly StorableJob[],
  { isLong = false }: Queue,
): Promise<Tried> {
  const credits = creditsOf(jobs)
  const { rows } = await sql<{ place: number; ahead: number }>`
    ${prepared('insert-jobs')} with given as (
      select * from unnest(
        ${jobs.map((job) => job.id)}::uuid[],
        ${jobs.map((job) => job.keyId ?? null)}::uuid[],
        ${jobs.map((job) => job.grantId ?? null)}::uuid[],
        ${jobs.map((job) => job.type)}::text[],
        ${jobs.map((job) => job.name)}::text[],
        ${jobs.map((job) => job.request)}::jsonb[],
        ${jobs.map((job) => job.credits)}::bigint[],
        ${jobs.map((job) => job.warnings)}::jsonb[],
        ${jobs.map((job) => job.templateId ?? null)}::text[],
        ${jobs.map((job) => job.submissionId ?? null)}::uuid[],
        ${jobs.map((job) => job.webhookUrl ?? null)}::text[]
      ) with ordinality as item (id, key_id, grant_id, type, name, request, credits, warnings, template_id,
        submission_id, webhook_url, place)
    ), account as (
      update accounts set credits_reserved = credits_reserved + ${credits}
      where id = ${jobs[0]?.accountId} and ${spendable} >= ${credits}
      returning id
    ), job as (
      insert into jobs (id, account_id, api_key_id, agent_grant_id, type, name, request,
        credits_reserved,
        warnings, template_id, submission_id, webhook_url, created_at)
      select given.id, account.id, key_id, grant_id, type, name, request, credits, warnings, template_id,
        submission_id, webhook_url, now() + (place - 1) * interval '1 microsecond'
      from account, given order by given.id
      returning id, account_id
    ), entry as (
      insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
      select job.account_id, job.id, 'hold', 0, given.credits from job join given using (id)
    )
    select place, case when ${isLong} then ${sql.lit(maxQueuePosition)}
      else (select queue_position(now(), ${jobs[0]?.id}, null)) end as ahead
    from given where exists (select from account) order by place`.execute(db)
  if (rows.length === 0) return { outcome: 'insufficient' }
  const positions = rows.map(({ place, ahead }) => Math.min(ahead + place, maxQueuePosition))
  return { outcome: 'inserted', positions }
}

function creditsOf(jobs: readonly { readonly credits: number }[]): number {
  return jobs.reduce((sum, job) => sum + job.credits, 0)
}

/**
 * Constraints that copies of a job within one batch break. Postgres's plan decides which one fails
 * first: that of the second job, or that of the second hold of the first.
 */
const takenConstraints: ReadonlySet<string> = new Set(['jobs_pkey', 'credit_entries_once'])

function isTaken(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === uniqueViolation &&
    takenConstraints.has(error.constraint ?? '')
  )
}

/** Explains why a job may not be inserted, or finds that the same act has inserted it before. */
async function explain(db: Db, job: StorableJob, refused: Refused): Promise<InsertedJob> {
  const duplicate = await findDuplicate(db, job)
  if (duplicate) return duplicate
  switch (refused.outcome) {
    case 'taken':
      // Another account's job is invisible here, and conflicts all the same.
      return { outcome: 'duplicate' }
    case 'insufficient':
      return await explainInsufficient(db, job)
    case 'over-cap':
    case 'agent-refused':
      return refused
    default:
      return refused satisfies never
  }
}

/** Compares with the account's existing job of this id: the same act, or another one's id. */
async function findDuplicate(db: Db, job: StorableJob): Promise<InsertedJob | undefined> {
  const duplicate = await db
    .selectFrom('jobs')
    .select([
      'account_id',
      'submission_id',
      sql<number>`case when state = 'queued' then queue_position(created_at, id, bulk_id)
        else 0 end`.as('queuePosition'),
    ])
    .where('id', '=', job.id)
    .executeTakeFirst()
  if (duplicate === undefined) return undefined
  const isSame =
    duplicate.account_id === job.accountId && duplicate.submission_id === job.submissionId
  if (!isSame) return { outcome: 'duplicate' }
  return { outcome: 'inserted', queuePosition: duplicate.queuePosition }
}
