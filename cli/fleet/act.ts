import { userInfo } from 'node:os'
import { type Act, act as actOnRecord } from '../../operator/act.ts'
import type { Db } from '../../store/db/database.ts'

/** Options of every changing command. */
export type ActOptions = { readonly why: string; readonly by?: string; readonly json?: boolean }

/** Returns the name of the operator of this command, for the audit log. */
export function actorOf({ by }: { readonly by?: string }): string {
  return by ?? process.env.FARM_OPERATOR ?? userInfo().username
}

/** Does what only the command line does, and records it. */
export async function act<T>(
  db: Db,
  { what, subject, why, by }: Pick<Act<T>, 'what' | 'subject'> & ActOptions,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const actor = actorOf(by === undefined ? {} : { by })
  return await actOnRecord(db, { what, subject, why, actor }, work)
}
