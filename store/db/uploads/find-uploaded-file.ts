import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isThere, type Upload } from './get-upload.ts'

export type UploadedFile = Pick<Upload, 'name' | 'mediaType' | 'bytes' | 'digest'> & {
  readonly objectKey: string
  readonly isSuspended: boolean
}

/** Finds the file of any account's upload: its signed address is the permission. */
export async function findUploadedFile(db: Db, id: string): Promise<UploadedFile | undefined> {
  const { rows } = await sql<UploadedFile>`
    select name, media_type as "mediaType", bytes, digest, object_key as "objectKey",
      (select suspended_at is not null from accounts where id = account_id) as "isSuspended"
    from uploads where id = ${id} and ${isThere}`.execute(db)
  return rows[0]
}
