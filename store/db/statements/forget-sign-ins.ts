import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Someone signed in; and counts whose time is over go with the chance. */
export async function forgetSignIns(db: Db, subject: Buffer): Promise<void> {
  await sql`
    delete from sign_in_failures where subject = ${subject} or window_ends < now()`.execute(db)
}
