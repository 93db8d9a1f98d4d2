import { createLog } from '../../runtime/log.ts'
import { findAccounts } from '../../store/db/accounts/find-accounts.ts'
import type { AccountView } from '../../store/db/accounts/get-account.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { readDatabaseUrl } from '../../store/db/database-url.ts'
import { Failure } from '../failure.ts'
import { showTable, type TableRow } from './table.ts'

/** Result of a command: rows for people, or JSON for programs. */
export type Answer = {
  readonly json: unknown
  /** Lines made by `showTable`, or a sentence. */
  readonly text: string
}

/** Runs an operator's command on the database at DATABASE_URL, past the walls between accounts. */
export async function operate(
  isJson: boolean | undefined,
  work: (db: Db) => Promise<Answer>,
): Promise<void> {
  const url = readDatabaseUrl(process.env)
  const db = openDatabase({ url, log: createLog('farm'), connections: 1 })
  try {
    const { json, text } = await work(db)
    console.log(isJson ? JSON.stringify(json) : text)
  } finally {
    await db.destroy()
  }
}

export function answerRows(rows: readonly TableRow[]): Answer {
  return { json: rows, text: showTable(rows) }
}

export function answerOne(row: TableRow): Answer {
  return { json: row, text: showTable([row]) }
}

/**
 * Finds the account of an id or a name. @throws Failure when there is no such account, or several
 * have the name
 */
export async function requireAccount(db: Db, idOrName: string): Promise<AccountView> {
  const [account, second] = await findAccounts(db, idOrName)
  if (account && !second) return account
  const why = second ? 'which several accounts are named: use the id' : 'which does not exist'
  throw new Failure(`ACCOUNT must be the id or the name of an account. Got ${idOrName}, ${why}`)
}
