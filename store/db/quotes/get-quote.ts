import { sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { openJson, type StoredJson } from '../sealed-json.ts'

export type Quote = {
  readonly id: string
  /** Id of the job, or seed of the bulk's id. */
  readonly actId: string
  readonly bulkId: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly templateId: string | null
  readonly projectId: string | null
  readonly credits: number
  readonly creditsMost: number
  readonly exact: boolean
  readonly seconds: number
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly isExpired: boolean
  /** Its job or bulk has been made. */
  readonly isUsed: boolean
  /** Connection of the agent that asked for it; null: a person or a program with a key did. */
  readonly agentGrantId: string | null
}

/** Names the row of a quote, for its seal. */
export function sealedAsQuote(quoteId: string): string {
  return `quote ${quoteId}`
}

/** Finds a quote of an account; undefined for another account's. */
export async function getQuote(
  db: Db,
  { accountId, quoteId, sealKeys }: { accountId: string; quoteId: string; sealKeys: SealKeys },
): Promise<Quote | undefined> {
  type Row = Omit<Quote, 'request'> & StoredJson<Quote['request']>
  const { rows } = await sql<Row>`
    select id, act_id as "actId", bulk_id as "bulkId", sealed, seal_key as "sealKey",
      request as plain, template_id as "templateId", project_id as "projectId",
      agent_grant_id as "agentGrantId", credits, credits_most as "creditsMost", exact, seconds,
      created_at as "createdAt", expires_at as "expiresAt", expires_at <= now() as "isExpired",
      exists (select from jobs where jobs.account_id = ${accountId} and jobs.id = act_id)
        or exists (select from bulks where bulks.account_id = ${accountId} and bulks.id = bulk_id)
        as "isUsed"
    from quotes where account_id = ${accountId} and id = ${quoteId}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { sealed, sealKey, plain, ...quote } = row
  const request = await openJson(sealKeys, { sealed, sealKey, plain }, sealedAsQuote(quoteId))
  return { ...quote, request }
}
