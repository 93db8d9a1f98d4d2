import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Clears counts after a successful sign-in: the user's own count ends, and the attempt no longer
 * counts for `address`, which others may share. Removes expired counts as well.
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
