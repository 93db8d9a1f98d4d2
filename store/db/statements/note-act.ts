import type { Db } from '../database.ts'

export type OperatorAct = {
  readonly actor: string
  /** `nodes drain`, `jobs cancel`. */
  readonly act: string
  /** The id or the name of what it was done to. */
  readonly subject: string
  readonly why: string
}

/** Puts on record what one of the farm's people, or the farm itself, does; in the transaction that does it. */
export async function noteAct(db: Db, act: OperatorAct): Promise<void> {
  await db.insertInto('operator_acts').values(act).execute()
}
