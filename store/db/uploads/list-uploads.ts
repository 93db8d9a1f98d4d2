import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { UploadsTable } from '../schema.ts'
import { containing } from '../text-search.ts'
import { isThere, type Upload, uploadColumns } from './get-upload.ts'

/** One page of an account's uploads, newest first, with the number and the bytes of all matches. */
export async function listUploads(
  db: Db,
  {
    accountId,
    kind,
    search,
    page,
    pageSize,
  }: {
    accountId: string
    kind?: UploadsTable['kind']
    /** Part of the name, whatever its case. */
    search?: string
    page: number
    pageSize: number
  },
): Promise<{
  readonly uploads: readonly Upload[]
  readonly total: number
  readonly bytes: number
}> {
  const condition = sql`account_id = ${accountId} and ${isThere}
    and ${kind === undefined ? sql`true` : sql`kind = ${kind}`}
    and ${search === undefined ? sql`true` : sql`name ilike ${containing(search)}`}`
  const [{ rows: uploads }, { rows: sums }] = await Promise.all([
    sql<Upload>`
      select ${uploadColumns} from uploads where ${condition}
      order by created_at desc, id limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number; bytes: number }>`
      select count(*) as total, coalesce(sum(bytes), 0)::bigint as bytes from uploads
      where ${condition}`.execute(db),
  ])
  return { uploads, total: sums[0]?.total ?? 0, bytes: sums[0]?.bytes ?? 0 }
}
