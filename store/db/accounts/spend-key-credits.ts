import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Credits that a key with a cap may still spend. */
export type KeyCredits = { readonly cap: number; readonly left: number }

/**
 * Counts credits against the cap of a key, in the transaction that holds them and after it has
 * locked the account. Submission and settlement both lock account before key, so they cannot
 * deadlock. A key without a cap is not touched.
 * @returns undefined when it may spend them; else its remaining credits, and nothing was counted.
 */
export async function spendKeyCredits(
  db: Db,
  { keyId, credits }: { keyId: string; credits: number },
): Promise<KeyCredits | undefined> {
  const { numAffectedRows } = await sql`
    update api_keys set credits_spent = credits_spent + ${credits}
    where id = ${keyId} and credits_spent + ${credits} <= credit_cap`.execute(db)
  if (numAffectedRows === 1n) return undefined
  return await findKeyCredits(db, keyId)
}

/** Finds what a key may still spend; undefined for a key without a cap. */
export async function findKeyCredits(db: Db, keyId: string): Promise<KeyCredits | undefined> {
  const { rows } = await sql<KeyCredits>`
    select credit_cap as cap, credit_cap - credits_spent as left from api_keys
    where id = ${keyId} and credit_cap is not null`.execute(db)
  return rows[0]
}
