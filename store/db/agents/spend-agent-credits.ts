import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Why a connection may not spend: `ended`, or the cap that is exceeded, with what it leaves. */
export type AgentRefusal =
  | { readonly why: 'ended' }
  | { readonly why: 'render' | 'total' | 'items'; readonly cap: number; readonly left: number }

/**
 * Counts credits against the caps of an agent's grant, in the transaction that holds them and after
 * it has locked the account. One statement checks and counts, so that parallel renders never exceed
 * a cap, and a grant that has ended spends nothing.
 * @returns undefined when it may spend them; else why not, and nothing was counted.
 */
export async function spendAgentCredits(
  db: Db,
  {
    grantId,
    credits,
    largest,
    items = 0,
  }: {
    grantId: string
    credits: number
    /** Credits of the dearest job among them. */
    largest: number
    /** Items of a bulk. */
    items?: number
  },
): Promise<AgentRefusal | undefined> {
  const { numAffectedRows } = await sql`
    update agent_grants set credits_spent = credits_spent + ${credits}
    where id = ${grantId} and revoked_at is null and ${largest} <= render_cap
      and ${items} <= bulk_cap and coalesce(credits_spent + ${credits} <= total_cap, true)`.execute(
    db,
  )
  if (numAffectedRows === 1n) return undefined
  const grant = await db
    .selectFrom('agent_grants')
    .select(['render_cap', 'total_cap', 'bulk_cap', 'credits_spent', 'revoked_at'])
    .where('id', '=', grantId)
    .executeTakeFirst()
  if (grant === undefined || grant.revoked_at !== null) return { why: 'ended' }
  const { render_cap: render, bulk_cap: bulk, total_cap: total, credits_spent: spent } = grant
  if (items > bulk) return { why: 'items', cap: bulk, left: bulk }
  if (largest > render) return { why: 'render', cap: render, left: render }
  return { why: 'total', cap: total ?? 0, left: Math.max(0, (total ?? 0) - spent) }
}
