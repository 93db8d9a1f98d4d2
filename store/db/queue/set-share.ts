import type { Db } from '../database.ts'

/** An absent property stays; null = the plan's (slots), anywhere (pool). */
export type ShareChange = {
  readonly weight?: number
  readonly slotsGuaranteed?: number | null
  readonly slotsBurst?: number | null
  readonly pool?: string | null
  readonly tags?: readonly string[]
}

/**
 * Changes an account's share of the farm; weight, pool and tags apply to tasks queued from now on.
 * False when there is no such account.
 */
export async function setShare(
  db: Db,
  {
    accountId,
    weight,
    slotsGuaranteed,
    slotsBurst,
    pool,
    tags,
  }: ShareChange & { accountId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({
      id: accountId,
      ...(weight !== undefined && { weight }),
      ...(slotsGuaranteed !== undefined && { slots_guaranteed: slotsGuaranteed }),
      ...(slotsBurst !== undefined && { slots_burst: slotsBurst }),
      ...(pool !== undefined && { pool }),
      ...(tags !== undefined && { node_tags: [...tags] }),
    })
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
