import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { summaryColumns, type Template } from './get-template.ts'

/**
 * Changes the given properties of a template; jobs made from it have their own copy. Undefined: the
 * account has no such template.
 */
export async function changeTemplate(
  db: Db,
  {
    accountId,
    templateId,
    change: { name, description, payload, archived },
  }: {
    accountId: string
    templateId: string
    change: {
      readonly name?: string
      readonly description?: string
      readonly payload?: unknown
      readonly archived?: boolean
    }
  },
): Promise<Template | undefined> {
  const { rows } = await sql<Template>`
    update templates set updated_at = now(),
      name = coalesce(${name ?? null}, name),
      description = coalesce(${description ?? null}, description),
      payload = coalesce(${payload === undefined ? null : jsonb(payload)}::jsonb, payload),
      archived_at = case ${archived ?? null}::boolean
        when true then coalesce(archived_at, now()) when false then null else archived_at end
    where account_id = ${accountId} and id = ${templateId}
    returning ${summaryColumns}, payload`.execute(db)
  return rows[0]
}
