import { type Db, inTransaction } from '../store/db/database.ts'
import { recordAct } from '../store/db/fleet/record-act.ts'

/** `what`: the command with its relevant arguments. `subject`: the id of its object. */
export type Act<T> = {
  readonly what: string
  readonly subject: string | ((done: T) => string)
  readonly why: string
  readonly actor: string
}

/** Does something and records its actor and reason, both or neither. */
export async function act<T>(
  db: Db,
  { what, subject, why, actor }: Act<T>,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  return await inTransaction(db, async (tx) => {
    const done = await work(tx)
    const toWhat = typeof subject === 'string' ? subject : subject(done)
    await recordAct(tx, { actor, act: what, subject: toWhat, why })
    return done
  })
}
