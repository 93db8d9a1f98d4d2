import { sql } from 'kysely'
import type { Db } from '../database.ts'

type Day = { readonly name: string; readonly bytes: number; readonly isOld: boolean }

/** Longest wait for those who read a day; the next turn tries again. */
const lockTimeout = '2s'

/**
 * Drops the days of the access log that are older than `days` (1: today alone stays), and the oldest
 * ones while the rest takes more than `bytes`. Where today alone takes more, it begins anew.
 * @returns the dropped partitions
 */
export async function dropAccess(
  db: Db,
  { days, bytes: most }: { days: number; bytes: number },
): Promise<readonly string[]> {
  const { rows } = await sql<Day>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes,
      c.relname <= 'access_log_' || to_char((now() at time zone 'UTC')::date - ${days}::int, 'YYYYMMDD')
        as "isOld"
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'access_log'::regclass order by c.relname desc`.execute(db)
  let kept = 0
  const dropped: string[] = []
  for (const { name, bytes, isOld } of rows) {
    kept += bytes
    if (isOld || kept > most) dropped.push(name)
  }
  for (const name of dropped) {
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
      await sql`drop table if exists ${sql.table(name)}`.execute(tx)
    })
  }
  return dropped
}
