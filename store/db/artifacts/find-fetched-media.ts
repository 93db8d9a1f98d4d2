import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** A job, and the URLs that it needs. */
export type MediaSearch = { readonly jobId: string; readonly urlDigests: readonly string[] }

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
  /** The job may use it without revalidation. */
  readonly isCurrent: boolean
}

/** `currentFor`: jobs that may use it without revalidation. */
type Row = Omit<FetchedMedium, 'isCurrent'> & { readonly currentFor: readonly string[] }

/**
 * Finds stored media that an account's URLs led to at their last fetch, in the order of the
 * searches. A medium is current for jobs that were submitted before its fetch was ordered (a bulk's
 * jobs share one submission). It is also current while its origin said that it stays.
 */
export async function findFetchedMedia(
  db: Db,
  { accountId, searches }: { accountId: string; searches: readonly MediaSearch[] },
): Promise<readonly (readonly FetchedMedium[])[]> {
  const jobIds = searches.map(({ jobId }) => jobId)
  const urlDigests = [...new Set(searches.flatMap((search) => search.urlDigests))]
  const { rows } = await sql<Row>`
    ${prepared('find-fetched-media')} with found as (
      select f.*, a.object_key, a.bytes from fetched_media f
      join artifacts a on a.account_id = f.account_id and a.kind = 'media' and a.digest = f.digest
      where f.account_id = ${accountId} and f.url_digest = any(${urlDigests})
    ), used as (
      update artifacts set last_used_at = now() from found
      where artifacts.account_id = found.account_id and artifacts.kind = 'media'
        and artifacts.digest = found.digest
        and artifacts.last_used_at < now() - interval '1 hour'
    ), job as materialized (
      select j.id, coalesce(b.created_at, j.created_at) as submitted_at
      from jobs j left join bulks b on b.id = j.bulk_id
      where j.id = any(${jobIds}::uuid[]) and j.account_id = ${accountId}
    )
    select f.url_digest as "urlDigest", f.expect, f.digest, f.facts, f.etag,
      f.last_modified as "lastModified", f.object_key as "objectKey", f.bytes,
      array(
        select id from job where f.asked_at >= job.submitted_at or f.fresh_until > now()
      ) as "currentFor"
    from found f`.execute(db)
  return searches.map(({ jobId, urlDigests: wanted }) => {
    const asked = new Set(wanted)
    return rows
      .filter(({ urlDigest }) => asked.has(urlDigest))
      .map(({ currentFor, ...row }) => ({ ...row, isCurrent: currentFor.includes(jobId) }))
  })
}
