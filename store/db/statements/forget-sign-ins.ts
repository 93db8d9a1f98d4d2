import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Someone signed in: their own count ends, and the attempt counts no more for `address`, from where
 * others may have failed. Counts whose time is over go with the chance.
 */
export async function forgetSignIns(
  db: Db,
  { own, address }: { own: Buffer; address: Buffer },
): Promise<void> {
  await sql`
    with counted as (
      update sign_in_failures set failures = failures - 1
      where subject = ${address} and failures > 0 and window_ends >= now()
    )
    delete from sign_in_failures where subject = ${own} or window_ends < now()`.execute(db)
}
