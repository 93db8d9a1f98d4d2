import { sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { sealJson } from '../sealed-json.ts'
import { sealedAsQuote } from './get-quote.ts'

export type NewQuote = {
  /** Inserted again, it stays as it is. */
  readonly id: string
  readonly accountId: string
  /** Id of the job, or seed of the bulk's id. */
  readonly actId: string
  readonly bulkId: string | null
  readonly request: unknown
  readonly sealKeys: SealKeys
  /** Connection of the agent that asks for it. */
  readonly agentGrantId: string | null
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
  const { sealed, keyId } = await sealJson(quote.sealKeys, quote.request, sealedAsQuote(id))
  const { numAffectedRows } = await sql`
    insert into quotes (id, account_id, act_id, bulk_id, sealed, seal_key, agent_grant_id, template_id,
      project_id, credits, credits_most, exact, seconds, expires_at)
    select ${id}, ${accountId}, ${quote.actId}, ${quote.bulkId}, ${sealed}::bytea, ${keyId},
      ${quote.agentGrantId}::uuid, ${quote.templateId}, ${quote.projectId}, ${quote.credits}, ${quote.creditsMost},
      ${quote.exact}, ${quote.seconds}, now() + make_interval(mins => ${quoteMinutes})
    where (select count(*) from quotes where account_id = ${accountId} and expires_at > now()
      and id <> ${id}) < ${openQuotesMax}
    on conflict (id) do update set id = excluded.id`.execute(db)
  return numAffectedRows === 1n
}
