import { type RawBuilder, sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { openJson, type StoredJson, sealJson } from '../sealed-json.ts'
import { openName, type StoredName, sealName } from './draft-name.ts'
import { type Project, sealedAsDraft, typeOf } from './get-project.ts'

type Row = StoredName &
  StoredJson<Project['payload']> & { readonly id: string; readonly version: number }

const columns = sql`version, name, sealed_name as "sealedName", sealed, seal_key as "sealKey",
  payload as plain`

/**
 * Seals up to `limit` drafts, and as many earlier versions, that are in clear or under an older key.
 * @returns how many were sealed
 */
export async function sealDrafts(
  db: Db,
  { sealKeys, limit }: { readonly sealKeys: SealKeys; readonly limit: number },
): Promise<number> {
  const older = sealKeys.slice(1).map(({ id }) => id)
  const due = sql`(seal_key is null or seal_key = any(${older}::text[]) or name is not null
    or split_part(sealed_name, '.', 1) = any(${older}::text[]))`
  return await db.transaction().execute(async (tx) => {
    const { rows: drafts } = await sql<Row>`
      select id, ${columns} from projects
      where ${due} limit ${limit} for no key update skip locked`.execute(tx)
    for (const draft of drafts) {
      const { sets, payload } = await resealed(draft)
      await sql`
        update projects set ${sets}, sealed_type = ${typeOf(payload)}
        where id = ${draft.id}`.execute(tx)
    }
    const { rows: versions } = await sql<Row>`
      select project_id as id, ${columns} from project_versions
      where ${due} limit ${limit} for no key update skip locked`.execute(tx)
    for (const row of versions) {
      const { sets } = await resealed(row)
      await sql`
        update project_versions set ${sets}
        where project_id = ${row.id} and version = ${row.version}`.execute(tx)
    }
    return drafts.length + versions.length
  })

  async function resealed(
    row: Row,
  ): Promise<{ readonly sets: RawBuilder<unknown>; readonly payload: Project['payload'] }> {
    const about = sealedAsDraft(row.id)
    const payload = await openJson(sealKeys, row, about)
    const { sealed, keyId } = await sealJson(sealKeys, payload, about)
    const sealedName = sealName(sealKeys, openName(sealKeys, row, row.id), row.id)
    const sets = sql`sealed = ${sealed}, seal_key = ${keyId}, payload = null,
      sealed_name = ${sealedName}, name = null`
    return { payload, sets }
  }
}
