import { userInfo } from 'node:os'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { recordAct } from '../../store/db/fleet/record-act.ts'

/** Options of every changing command. */
export type ActOptions = { readonly why: string; readonly by?: string; readonly json?: boolean }

/**
 * Does something and records its actor and reason, both or neither. `what`: the command with its
 * relevant arguments. `subject`: the id of its object.
 */
export async function act<T>(
  db: Db,
  {
    what,
    subject,
    why,
    by,
  }: { what: string; subject: string | ((done: T) => string) } & ActOptions,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const actor = by ?? process.env.FARM_OPERATOR ?? userInfo().username
  return await inTransaction(db, async (tx) => {
    const done = await work(tx)
    const toWhat = typeof subject === 'string' ? subject : subject(done)
    await recordAct(tx, { actor, act: what, subject: toWhat, why })
    return done
  })
}
