import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** A template without its payload, which may be large. */
export type TemplateSummary = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: 'video' | 'image'
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly archivedAt: Date | null
}

export type Template = TemplateSummary & { readonly payload: Readonly<Record<string, unknown>> }

export const summaryColumns: RawBuilder<unknown> = sql`id, name, description, type,
  created_at as "createdAt", updated_at as "updatedAt", archived_at as "archivedAt"`

/** Finds one template of an account, archived or not; undefined for another account's. */
export async function getTemplate(
  db: Db,
  { accountId, templateId }: { accountId: string; templateId: string },
): Promise<Template | undefined> {
  const { rows } = await sql<Template>`
    select ${summaryColumns}, payload from templates
    where account_id = ${accountId} and id = ${templateId}`.execute(db)
  return rows[0]
}
