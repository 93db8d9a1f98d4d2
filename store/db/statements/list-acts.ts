import type { Db } from '../database.ts'
import type { OperatorAct } from './note-act.ts'

/** What the farm's people did, the latest first. */
export async function listActs(
  db: Db,
  { limit }: { limit: number },
): Promise<readonly (OperatorAct & { readonly at: Date })[]> {
  return await db
    .selectFrom('operator_acts')
    .select(['at', 'actor', 'act', 'subject', 'why'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
