import { listActs } from '../../store/db/fleet/list-acts.ts'
import { answerRows, operate } from '../accounts/operate.ts'

/** `farm audit [SUBJECT]`: a node may be named by its name. */
export async function showActs({
  json,
  ...asked
}: {
  readonly json?: boolean
  readonly limit: number
  readonly subject?: string
}): Promise<void> {
  await operate(json, async (db) => answerRows([...(await listActs(db, asked))]))
}
