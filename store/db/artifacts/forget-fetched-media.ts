import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Equals the days for which unused artifacts are kept. */
const retentionDays = 7

/** Forgets the media that URLs led to long ago. @returns how many */
export async function forgetFetchedMedia(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from fetched_media where ctid = any(array(
      select ctid from fetched_media
      where asked_at < now() - make_interval(days => ${retentionDays}) limit ${limit}
    ))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
