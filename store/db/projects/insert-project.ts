import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { getProject, type Project } from './get-project.ts'

export type NewProject = {
  readonly accountId: string
  /** Inserted again, it stays as it is. */
  readonly id: string
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The most drafts that the account may have. */
  readonly limit: number
}

/**
 * Inserts a draft; undefined when the account has as many as it may. The account's row is locked
 * while they are counted: no two inserts can take the last place.
 */
export async function insertProject(
  db: Db,
  { accountId, id, name, payload, limit }: NewProject,
): Promise<Project | undefined> {
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const known = await getProject(tx, { accountId, projectId: id })
    if (known !== undefined) return known
    await sql`
      insert into projects (id, account_id, name, payload)
      select ${id}, ${accountId}, ${name}, ${jsonb(payload)}::jsonb
      where (select count(*) from projects where account_id = ${accountId}) < ${limit}`.execute(tx)
    return await getProject(tx, { accountId, projectId: id })
  })
}
