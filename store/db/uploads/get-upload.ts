import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { UploadsTable } from '../schema.ts'

export type Upload = {
  readonly id: string
  readonly name: string
  readonly kind: UploadsTable['kind']
  readonly mediaType: string
  readonly bytes: number
  /** Hex sha256. */
  readonly digest: string
  readonly createdAt: Date
}

export const uploadColumns = sql`id, name, kind, media_type as "mediaType", bytes, digest,
  created_at as "createdAt"`
/** Uploads whose bytes are in the store, and not deleted. */
export const isThere = sql`stored_at is not null and deleted_at is null`

/** Finds the upload of these bytes. */
export async function getUploadOf(
  db: Db,
  { accountId, digest }: { accountId: string; digest: string },
): Promise<Upload | undefined> {
  const { rows } = await sql<Upload>`
    select ${uploadColumns} from uploads
    where account_id = ${accountId} and digest = ${digest} and ${isThere}`.execute(db)
  return rows[0]
}
