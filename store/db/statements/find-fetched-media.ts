import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

export type FetchedMedium = {
  /** Hex sha256 of the URL. */
  readonly urlDigest: string
  readonly expect: string
  readonly digest: string
  readonly facts: unknown
  readonly etag: string | null
  readonly lastModified: string | null
  readonly objectKey: string
  readonly bytes: number
  /** Whether the job may have it without asking the origin again. */
  readonly isCurrent: boolean
}

/**
 * What an account's URLs led to when they were last fetched, if it is still in the store. It is
 * current for a job that was submitted before it was asked for (the jobs of a bulk are submitted at once),
 * or when its origin said that it stays.
 */
export async function findFetchedMedia(
  db: Db,
  {
    accountId,
    jobId,
    urlDigests,
  }: { accountId: string; jobId: string; urlDigests: readonly string[] },
): Promise<readonly FetchedMedium[]> {
  const { rows } = await sql<FetchedMedium>`
    ${prepared('find-fetched-media')} with found as (
      select f.*, a.object_key, a.bytes from fetched_media f
      join artifacts a on a.account_id = f.account_id and a.kind = 'media' and a.digest = f.digest
      where f.account_id = ${accountId} and f.url_digest = any(${urlDigests})
    ), used as (
      update artifacts set last_used_at = now() from found
      where artifacts.account_id = found.account_id and artifacts.kind = 'media'
        and artifacts.digest = found.digest
        and artifacts.last_used_at < now() - interval '1 hour'
    )
    select f.url_digest as "urlDigest", f.expect, f.digest, f.facts, f.etag,
      f.last_modified as "lastModified", f.object_key as "objectKey", f.bytes,
      f.asked_at >= coalesce(b.created_at, j.created_at) or f.fresh_until > now() as "isCurrent"
    from found f join jobs j on j.id = ${jobId} and j.account_id = f.account_id
      left join bulks b on b.id = j.bulk_id`.execute(db)
  return rows
}
