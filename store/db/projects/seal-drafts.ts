import { type RawBuilder, sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { openJson, type StoredJson, sealJson } from '../sealed-json.ts'
import { type Project, sealedAsDraft, typeOf } from './get-project.ts'

type Row = StoredJson<Project['payload']> & { readonly id: string; readonly version: number }

/**
 * Seals up to `limit` drafts, and as many earlier versions, that are in clear or under an older key.
 * @returns how many were sealed
 */
export async function sealDrafts(
  db: Db,
  { sealKeys, limit }: { readonly sealKeys: SealKeys; readonly limit: number },
): Promise<number> {
  const older = sealKeys.slice(1).map(({ id }) => id)
  const due = sql`seal_key is null or seal_key = any(${older}::text[])`
  return await db.transaction().execute(async (tx) => {
    const { rows: drafts } = await sql<Row>`
      select id, version, sealed, seal_key as "sealKey", payload as plain from projects
      where ${due} limit ${limit} for no key update skip locked`.execute(tx)
    for (const draft of drafts) {
      const { sets, payload } = await resealed(draft)
      await sql`
        update projects set ${sets}, sealed_type = ${typeOf(payload)}
        where id = ${draft.id}`.execute(tx)
    }
    const { rows: versions } = await sql<Row>`
      select project_id as id, version, sealed, seal_key as "sealKey", payload as plain
      from project_versions where ${due} limit ${limit} for no key update skip locked`.execute(tx)
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
    return { payload, sets: sql`sealed = ${sealed}, seal_key = ${keyId}, payload = null` }
  }
}
