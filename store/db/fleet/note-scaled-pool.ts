import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Time for which a pool counts as scaled after its autoscaler has asked last. */
export const scaledSeconds = 180
/** Pools that nobody has asked about for this time are forgotten. */
const keptDays = 1

/** Notes that an autoscaler asks how large a pool should be; '' = nodes without a pool. */
export async function noteScaledPool(db: Db, name: string): Promise<void> {
  await sql`
    with gone as (
      delete from scaled_pools where asked_at < now() - make_interval(days => ${keptDays}::integer)
        and name <> ${name}
    )
    insert into scaled_pools (name) values (${name})
    on conflict (name) do update set asked_at = now()`.execute(db)
}
