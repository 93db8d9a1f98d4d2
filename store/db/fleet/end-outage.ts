import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A gap between sweeps this long means that no scheduler could be reached. */
const outageSeconds = 5

/**
 * Records a scheduler's sweep, and answers whether leases may be taken away now. After an outage of
 * all schedulers, or of the database, nodes first get the time of a lease to renew. Their silence
 * during it does not mean that they are lost.
 */
export async function endOutage(db: Db, { leaseMs }: { leaseMs: number }): Promise<boolean> {
  const { rows } = await sql<{ strict: boolean }>`
    update farm_clock set swept_at = now(),
      lenient_until = case when swept_at < now() - make_interval(secs => ${outageSeconds})
        then now() + make_interval(secs => ${leaseMs / 1000}) else lenient_until end
    returning lenient_until <= now() as strict`.execute(db)
  return rows[0]?.strict ?? false
}
