import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

export type NewQuote = {
  /** Inserted again, it stays as it is. */
  readonly id: string
  readonly accountId: string
  /** Id of the job, or seed of the bulk's id. */
  readonly actId: string
  readonly bulkId: string | null
  readonly request: unknown
  readonly templateId: string | null
  readonly projectId: string | null
  readonly credits: number
  readonly creditsMost: number
  readonly exact: boolean
  /** Length of the film; of a bulk, of all its films. */
  readonly seconds: number
}

/** Minutes for which a price is kept. */
export const quoteMinutes = 15
/** Quotes of an account that have not expired. */
export const openQuotesMax = 200

/**
 * Inserts a quote. False: the account has as many that have not expired as it may.
 * @throws FarmError when its request cannot be stored
 */
export async function insertQuote(db: Db, quote: NewQuote): Promise<boolean> {
  const { id, accountId } = quote
  const { numAffectedRows } = await sql`
    insert into quotes (id, account_id, act_id, bulk_id, request, template_id, project_id, credits,
      credits_most, exact, seconds, expires_at)
    select ${id}, ${accountId}, ${quote.actId}, ${quote.bulkId}, ${jsonb(quote.request)}::jsonb,
      ${quote.templateId}, ${quote.projectId}, ${quote.credits}, ${quote.creditsMost},
      ${quote.exact}, ${quote.seconds}, now() + make_interval(mins => ${quoteMinutes})
    where (select count(*) from quotes where account_id = ${accountId} and expires_at > now()
      and id <> ${id}) < ${openQuotesMax}
    on conflict (id) do update set id = excluded.id`.execute(db)
  return numAffectedRows === 1n
}
