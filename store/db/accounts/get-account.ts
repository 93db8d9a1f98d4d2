import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type AccountView = {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly creditsBalance: number
  readonly creditsReserved: number
  readonly createdAt: Date
  /** Null: its credentials are accepted. */
  readonly suspendedAt: Date | null
  /** Null: it is not closed. A closed account is suspended, too. */
  readonly closedAt: Date | null
}

export const accountColumns = sql.raw(`id, name, plan, credits_balance as "creditsBalance",
  credits_reserved as "creditsReserved", created_at as "createdAt", suspended_at as "suspendedAt",
  closed_at as "closedAt"`)

export async function getAccount(db: Db, accountId: string): Promise<AccountView | undefined> {
  const { rows } = await sql<AccountView>`
    select ${accountColumns} from accounts where id = ${accountId}`.execute(db)
  return rows[0]
}
