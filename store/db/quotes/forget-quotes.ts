import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Removes up to `limit` quotes that expired a day ago. @returns how many were removed */
export async function forgetQuotes(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from quotes where ctid in (
      select ctid from quotes where expires_at < now() - interval '1 day'
      order by expires_at limit ${limit} for update skip locked
    )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
