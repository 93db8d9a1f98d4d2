import type { Db } from '../database.ts'

export type OperatorAct = {
  readonly actor: string
  /** Command, such as `nodes drain` or `jobs cancel`. */
  readonly act: string
  /** Id or name of the object of the act. */
  readonly subject: string
  readonly why: string
}

/** Records an act of an operator, or of the farm itself, in the transaction that does it. */
export async function recordAct(db: Db, act: OperatorAct): Promise<void> {
  await db.insertInto('operator_acts').values(act).execute()
}
