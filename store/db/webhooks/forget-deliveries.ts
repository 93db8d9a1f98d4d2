import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Removes deliveries that ended and are older than `days`. Answers how many. */
export async function forgetDeliveries(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries
      where status <> 'pending' and created_at < now() - make_interval(days => ${days})
      order by created_at limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
