import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Temporal has heard these words (or waits for them no more). */
export async function markSent(db: Db, wordIds: readonly number[]): Promise<void> {
  await sql`${prepared('mark-sent')} update task_words set sent_at = now() where id = any(${wordIds}::bigint[])`.execute(
    db,
  )
}
