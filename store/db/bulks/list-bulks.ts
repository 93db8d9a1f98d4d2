import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type BulkView, readBulks } from './get-bulk.ts'

/** One page of an account's bulks, newest first, and their total. `page` starts at 1. */
export async function listBulks(
  db: Db,
  { accountId, page, pageSize }: { accountId: string; page: number; pageSize: number },
): Promise<{ readonly bulks: readonly BulkView[]; readonly total: number }> {
  const condition = sql`b.account_id = ${accountId}`
  const [bulks, { rows }] = await Promise.all([
    readBulks(db, condition, { limit: pageSize, offset: (page - 1) * pageSize }),
    sql<{ total: number }>`select count(*) as total from bulks b where ${condition}`.execute(db),
  ])
  return { bulks, total: rows[0]?.total ?? 0 }
}
