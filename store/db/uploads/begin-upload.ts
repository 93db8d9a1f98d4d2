import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { UploadsTable } from '../schema.ts'

export type NewUpload = {
  readonly id: string
  readonly accountId: string
  readonly objectKey: string
  readonly bytes: number
  readonly kind: UploadsTable['kind']
  readonly mediaType: string
  readonly name: string
}

/** `uploads`, `bytes`: of the account, those under way included. */
export type UploadedSoFar = { readonly uploads: number; readonly bytes: number }

/**
 * Reserves the room of an upload, unless it is beyond a limit; then returns what the account has. The
 * account's row is locked meanwhile: no two uploads can take the last room.
 */
export async function beginUpload(
  db: Db,
  { uploadsMost, bytesMost, ...made }: NewUpload & { uploadsMost: number; bytesMost: number },
): Promise<UploadedSoFar | undefined> {
  const { accountId, bytes } = made
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const { rows } = await sql<UploadedSoFar>`
      select count(*) as uploads, coalesce(sum(bytes), 0)::bigint as bytes from uploads
      where account_id = ${accountId} and deleted_at is null`.execute(tx)
    const had = rows[0] ?? { uploads: 0, bytes: 0 }
    if (had.uploads >= uploadsMost || had.bytes + bytes > bytesMost) return had
    await sql`
      insert into uploads (id, account_id, object_key, bytes, kind, media_type, name)
      values (${made.id}, ${accountId}, ${made.objectKey}, ${bytes}, ${made.kind},
        ${made.mediaType}, ${made.name})`.execute(tx)
    return undefined
  })
}
