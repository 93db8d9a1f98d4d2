import { sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { sealJson } from '../sealed-json.ts'
import { sealName } from './draft-name.ts'
import { getProject, type Project, sealedAsDraft, typeOf } from './get-project.ts'

export type NewProject = {
  readonly accountId: string
  /** Inserted again, it stays as it is. */
  readonly id: string
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly sealKeys: SealKeys
  /** The most drafts that the account may have. */
  readonly limit: number
}

/**
 * Inserts a draft; undefined when the account has as many as it may. The account's row is locked
 * while they are counted: no two inserts can take the last place.
 */
export async function insertProject(
  db: Db,
  { accountId, id, name, payload, sealKeys, limit }: NewProject,
): Promise<Project | undefined> {
  const { sealed, keyId } = await sealJson(sealKeys, payload, sealedAsDraft(id))
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const known = await getProject(tx, { accountId, projectId: id, sealKeys })
    if (known !== undefined) return known
    await sql`
      insert into projects (id, account_id, sealed_name, sealed, seal_key, sealed_type)
      select ${id}, ${accountId}, ${sealName(sealKeys, name, id)}, ${sealed}::bytea, ${keyId}, ${typeOf(payload)}
      where (select count(*) from projects where account_id = ${accountId}) < ${limit}`.execute(tx)
    return await getProject(tx, { accountId, projectId: id, sealKeys })
  })
}
