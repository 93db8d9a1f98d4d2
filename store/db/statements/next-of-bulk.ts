import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** `open`: jobs that have not ended; `running`: those of them whose workflow was started. */
export type BulkTurn = {
  readonly plan: string
  readonly open: number
  readonly running: number
  /** The first of those that wait, at most `limit`. */
  readonly waiting: readonly string[]
}

/** What a bulk's workflow has to do next. Undefined: the account has no such bulk. */
export async function nextOfBulk(
  db: Db,
  { accountId, bulkId, limit }: { accountId: string; bulkId: string; limit: number },
): Promise<BulkTurn | undefined> {
  const { rows } = await sql<BulkTurn>`
    ${prepared('next-of-bulk')} with open as (
      select id, bulk_index, workflow_started_at is not null as is_running from jobs
      where bulk_id = ${bulkId} and account_id = ${accountId} and finished_at is null
    )
    select a.plan,
      (select count(*) from open) as open,
      (select count(*) from open where is_running) as running,
      array(
        select id from open where not is_running order by bulk_index limit ${limit}
      ) as waiting
    from bulks b join accounts a on a.id = b.account_id
    where b.id = ${bulkId} and b.account_id = ${accountId}`.execute(db)
  return rows[0]
}
