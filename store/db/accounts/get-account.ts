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
}

export const accountColumns = sql.raw(`id, name, plan, credits_balance as "creditsBalance",
  credits_reserved as "creditsReserved", created_at as "createdAt", suspended_at as "suspendedAt"`)

export async function getAccount(db: Db, accountId: string): Promise<AccountView | undefined> {
  const { rows } = await sql<AccountView>`
    select ${accountColumns} from accounts where id = ${accountId}`.execute(db)
  return rows[0]
}
