import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Longest time for a preview, its media included. Its place is then free for another one. */
const longestMinutes = 10

/** Finds previews that take too long, because no node can paint them or an origin hardly answers. */
export async function listLatePreviews(
  db: Db,
  { limit }: { limit: number },
): Promise<readonly { readonly jobId: string; readonly accountId: string }[]> {
  const { rows } = await sql<{ jobId: string; accountId: string }>`
    select id as "jobId", account_id as "accountId" from jobs
    where preview is not null and finished_at is null
      and created_at < now() - make_interval(mins => ${sql.lit(longestMinutes)})
    order by created_at limit ${limit}`.execute(db)
  return rows
}
