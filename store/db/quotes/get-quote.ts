import { sql } from 'kysely'
import type { Db } from '../database.ts'

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
  /** The template or draft that it priced is gone, or has another payload now. */
  readonly isOutdated: boolean
}

/** Finds a quote of an account; undefined for another account's. */
export async function getQuote(
  db: Db,
  { accountId, quoteId }: { accountId: string; quoteId: string },
): Promise<Quote | undefined> {
  const { rows } = await sql<Quote>`
    select id, act_id as "actId", bulk_id as "bulkId", request, template_id as "templateId",
      project_id as "projectId", credits, credits_most as "creditsMost", exact, seconds,
      created_at as "createdAt", expires_at as "expiresAt", expires_at <= now() as "isExpired",
      exists (select from jobs where jobs.account_id = ${accountId} and jobs.id = act_id)
        or exists (select from bulks where bulks.account_id = ${accountId} and bulks.id = bulk_id)
        as "isUsed",
      (template_id is not null and not exists (
        select from templates where templates.account_id = ${accountId}
          and templates.id = template_id and archived_at is null
          and templates.payload = quotes.request -> 'payload'
      )) or (project_id is not null and not exists (
        select from projects where projects.account_id = ${accountId}
          and projects.id = project_id and projects.payload = quotes.request -> 'payload'
      )) as "isOutdated"
    from quotes where account_id = ${accountId} and id = ${quoteId}`.execute(db)
  return rows[0]
}
