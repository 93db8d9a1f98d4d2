import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

/** Notes what a URL led to when a job fetched it. What a later job found stands. */
export async function putFetchedMedium(
  db: Db,
  {
    accountId,
    jobId,
    ...medium
  }: {
    readonly accountId: string
    readonly jobId: string
    readonly urlDigest: string
    readonly expect: string
    readonly digest: string
    readonly facts: unknown
    readonly etag: string | undefined
    readonly lastModified: string | undefined
    readonly freshSeconds: number
  },
): Promise<void> {
  await sql`
    insert into fetched_media as known
      (account_id, url_digest, expect, digest, facts, etag, last_modified, asked_at, fresh_until)
    select ${accountId}, ${medium.urlDigest}, ${medium.expect}, ${medium.digest},
      ${jsonb(medium.facts)}::jsonb, ${medium.etag ?? null}, ${medium.lastModified ?? null},
      submitted.at, submitted.at + make_interval(secs => ${medium.freshSeconds})
    from (
      select coalesce(b.created_at, j.created_at) as at from jobs j
      left join bulks b on b.id = j.bulk_id where j.id = ${jobId} and j.account_id = ${accountId}
    ) as submitted
    on conflict (account_id, url_digest, expect) do update set digest = excluded.digest,
      facts = excluded.facts, etag = excluded.etag, last_modified = excluded.last_modified,
      asked_at = excluded.asked_at, fresh_until = excluded.fresh_until
    where known.asked_at <= excluded.asked_at`.execute(db)
}
