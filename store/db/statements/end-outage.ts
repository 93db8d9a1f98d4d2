import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Without a sweep for so long no scheduler was there to be spoken to. */
const outageSeconds = 5

/**
 * Notes that a scheduler sweeps, and answers whether leases may be taken away now. After an outage
 * of all schedulers, or of the database, nodes first get the time of a lease to renew: that they
 * could not is no sign that they are lost.
 */
export async function endOutage(db: Db, { leaseMs }: { leaseMs: number }): Promise<boolean> {
  const { rows } = await sql<{ strict: boolean }>`
    update farm_clock set swept_at = now(),
      lenient_until = case when swept_at < now() - make_interval(secs => ${outageSeconds})
        then now() + make_interval(secs => ${leaseMs / 1000}) else lenient_until end
    returning lenient_until <= now() as strict`.execute(db)
  return rows[0]?.strict ?? false
}
