import { sql } from 'kysely'
import type { Db } from '../database.ts'

type Which = { readonly only: string } | { readonly butNot: string }

/** Ends one open session of a user, or all but one. @returns their number */
export async function endSessionsOfUser(
  db: Db,
  { accountId, userId, which }: { accountId: string; userId: string; which: Which },
): Promise<number> {
  const chosen = 'only' in which ? sql`id = ${which.only}` : sql`id <> ${which.butNot}`
  const { rows } = await sql`
    update sessions set ended_at = now(), end_reason = 'ended by the user'
    where account_id = ${accountId} and user_id = ${userId} and ended_at is null
      and expires_at > now() and ${chosen}
    returning id`.execute(db)
  return rows.length
}
