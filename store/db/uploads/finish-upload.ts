import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { deleteUpload } from './delete-upload.ts'
import { getUploadOf, type Upload, uploadColumns } from './get-upload.ts'

/**
 * Marks an upload as stored. Where the account has the same bytes already, it gives this one up and
 * returns the earlier. @throws Error when it has been given up meanwhile
 */
export async function finishUpload(
  db: Db,
  { accountId, uploadId, digest }: { accountId: string; uploadId: string; digest: string },
): Promise<{ readonly upload: Upload; readonly isNew: boolean }> {
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const earlier = await getUploadOf(tx, { accountId, digest })
    if (earlier) {
      await deleteUpload(tx, { accountId, uploadId })
      return { upload: earlier, isNew: false }
    }
    const { rows } = await sql<Upload>`
      update uploads set digest = ${digest}, stored_at = now()
      where account_id = ${accountId} and id = ${uploadId} and deleted_at is null
      returning ${uploadColumns}`.execute(tx)
    const [upload] = rows
    if (!upload) throw new Error('An upload must not be given up before it ends')
    return { upload, isNew: true }
  })
}
