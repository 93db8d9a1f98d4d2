import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Days in which an unused quote is looked for, so that no turn reads all used ones. */
const searchedDays = 30

/**
 * Removes up to `limit` quotes that expired a day ago. A used one stays as long as its job or bulk, so
 * that a late retry is answered with it. @returns how many were removed
 */
export async function forgetQuotes(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from quotes where ctid in (
      select ctid from quotes
      where expires_at < now() - interval '1 day'
        and expires_at > now() - make_interval(days => ${sql.lit(searchedDays)})
        and not exists (select from jobs where jobs.id = quotes.act_id)
        and not exists (select from bulks where bulks.id = quotes.bulk_id)
      order by expires_at limit ${limit} for update skip locked
    )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
