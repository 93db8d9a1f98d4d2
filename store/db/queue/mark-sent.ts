import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Marks task events as sent, or no longer awaited. */
export async function markSent(db: Db, eventIds: readonly number[]): Promise<void> {
  await sql`${prepared('mark-sent')} update task_words set sent_at = now() where id = any(${eventIds}::bigint[])`.execute(
    db,
  )
}
