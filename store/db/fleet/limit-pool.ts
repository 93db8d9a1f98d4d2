import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Sets the limit of slots that run at once in a pool, or in the farm (`pool` null); `slots` null =
 * no limit.
 */
export async function limitPool(
  db: Db,
  { pool, slots }: { pool: string | null; slots: number | null },
): Promise<void> {
  if (pool === null) await sql`update farm_clock set slots_max = ${slots}`.execute(db)
  else if (slots === null) await sql`delete from pools where name = ${pool}`.execute(db)
  else {
    await sql`
      insert into pools (name, slots_max) values (${pool}, ${slots})
      on conflict (name) do update set slots_max = excluded.slots_max`.execute(db)
  }
}
