import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * `open`: jobs that have not ended; `running`: those of them whose workflow was started and which are
 * not held.
 */
export type BulkTurn = {
  readonly plan: string
  readonly open: number
  readonly running: number
}

/**
 * Claims the next jobs of a bulk for the workflow `group`, in the order of their items: as many as
 * `choose` says. Concurrent turns of a bulk claim different ones. They count as touched now, so
 * that no sweeper looks for their workflow before it exists.
 * @returns Undefined: the account has no such bulk
 */
export async function claimNextOfBulk(
  db: Db,
  {
    accountId,
    bulkId,
    group,
    choose,
  }: { accountId: string; bulkId: string; group: string; choose: (turn: BulkTurn) => number },
): Promise<(BulkTurn & { readonly jobIds: readonly string[] }) | undefined> {
  return await db.transaction().execute(async (tx) => {
    // Locks by a statement of its own, so that the next one sees the claims of the turn before.
    const locked = await sql`
      ${prepared('lock-bulk')} select from bulks
      where id = ${bulkId} and account_id = ${accountId} for no key update`.execute(tx)
    if (locked.rows.length === 0) return undefined
    const { rows } = await sql<BulkTurn>`
      ${prepared('turn-of-bulk')} select
        (select plan from accounts where id = ${accountId}) as plan, count(*) as open,
        count(*) filter (where workflow_started_at is not null and held_at is null) as running
      from jobs
      where bulk_id = ${bulkId} and account_id = ${accountId} and finished_at is null`.execute(tx)
    const [turn] = rows
    const most = turn ? choose(turn) : 0
    if (turn === undefined || most <= 0) return turn && { ...turn, jobIds: [] }
    const taken = await sql<{ id: string }>`
      ${prepared('claim-next-of-bulk')} with next as (
        select id, bulk_index from jobs
        where bulk_id = ${bulkId} and account_id = ${accountId} and finished_at is null
          and workflow_started_at is null
        order by bulk_index limit ${most} for no key update skip locked
      ), claimed as (
        update jobs set workflow_started_at = now(), workflow_group = ${group}, updated_at = now()
        from next
        where jobs.id = next.id
        returning jobs.id, next.bulk_index
      )
      select id from claimed order by bulk_index`.execute(tx)
    return { ...turn, jobIds: taken.rows.map(({ id }) => id) }
  })
}
