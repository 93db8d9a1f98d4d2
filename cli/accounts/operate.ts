import { readText } from '../../runtime/env.ts'
import { createLog } from '../../runtime/log.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { type AccountView, getAccount } from '../../store/db/statements/get-account.ts'
import { Failure } from '../failure.ts'
import { showTable, type TableRow } from './table.ts'

/** What a command found or made: rows for people, or JSON for programs. */
export type Answer = {
  readonly json: unknown
  /** Lines; what `showTable` makes, or a sentence. */
  readonly text: string
}

/** Runs an operator's command on the database at DATABASE_URL, past the walls between accounts. */
export async function operate(
  isJson: boolean | undefined,
  work: (db: Db) => Promise<Answer>,
): Promise<void> {
  const url = readText(process.env, 'DATABASE_URL', 'the URL of a Postgres database')
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

/** @throws Failure when there is no such account */
export async function requireAccount(db: Db, id: string): Promise<AccountView> {
  const account = await getAccount(db, id)
  if (account) return account
  throw new Failure(`ACCOUNT must be the id of an account. Got ${id}, which is none`)
}
