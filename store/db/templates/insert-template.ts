import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { getTemplate, type Template } from './get-template.ts'

export type NewTemplate = {
  readonly accountId: string
  /** Inserted again, it stays as it is. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The most templates that the account may have. */
  readonly limit: number
}

/**
 * Inserts a template; undefined when the account has as many as it may. The account's row is locked
 * while they are counted: no two inserts can take the last place.
 */
export async function insertTemplate(
  db: Db,
  { accountId, id, name, description, payload, limit }: NewTemplate,
): Promise<Template | undefined> {
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const known = await getTemplate(tx, { accountId, templateId: id })
    if (known !== undefined) return known
    await sql`
      insert into templates (id, account_id, name, description, payload)
      select ${id}, ${accountId}, ${name}, ${description}, ${jsonb(payload)}::jsonb
      where (select count(*) from templates where account_id = ${accountId}) < ${limit}`.execute(tx)
    return await getTemplate(tx, { accountId, templateId: id })
  })
}
