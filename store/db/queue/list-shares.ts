import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { planShareRows } from './plan-shares.ts'

/** An account's share of the farm: its own row's figures, or its plan's where it has none. */
export type ShareView = {
  readonly id: string
  readonly name: string
  readonly plan: string
  /** Relative to other accounts of its plan. */
  readonly weight: number
  readonly guaranteed: number
  readonly burst: number
  readonly running: number
  readonly pool: string | null
  readonly tags: readonly string[]
}

/**
 * Lists the shares that operators have set, by account name; or one account's share, set or not.
 */
export async function listShares(
  db: Db,
  { accountId }: { accountId?: string } = {},
): Promise<readonly ShareView[]> {
  const asked =
    accountId === undefined
      ? sql`a.weight <> 1 or a.slots_guaranteed is not null or a.slots_burst is not null
          or a.pool is not null or a.node_tags <> '{}'`
      : sql`a.id = ${accountId}`
  const { rows } = await sql<ShareView>`
    select a.id, a.name, a.plan, a.weight,
      coalesce(a.slots_guaranteed, plan_share.guaranteed) as guaranteed,
      coalesce(a.slots_burst, plan_share.burst) as burst,
      (select count(*) from attempts r where r.account_id = a.id and r.state = 'running')
        as running,
      a.pool, a.node_tags as tags
    from accounts a join ${planShareRows()} on plan_share.plan = a.plan
    where ${asked} order by a.name, a.id`.execute(db)
  return rows
}
