import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'

/**
 * Records the medium that a job's task fetched from a URL, dated by the queuing of the task. A
 * later entry stays.
 */
export async function putFetchedMedium(
  db: Db,
  {
    accountId,
    jobId,
    task,
    ...medium
  }: {
    readonly accountId: string
    readonly jobId: string
    /** Name of the task that fetched it. */
    readonly task: string
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
    ${prepared('put-fetched-medium')} insert into fetched_media as known
      (account_id, url_digest, expect, digest, facts, etag, last_modified, asked_at, fresh_until)
    select ${accountId}, ${medium.urlDigest}, ${medium.expect}, ${medium.digest},
      ${jsonb(medium.facts)}::jsonb, ${medium.etag ?? null}, ${medium.lastModified ?? null},
      t.created_at, t.created_at + make_interval(secs => ${medium.freshSeconds})
    from tasks t
    where t.job_id = ${jobId} and t.account_id = ${accountId} and t.name = ${task}
    on conflict (account_id, url_digest, expect) do update set digest = excluded.digest,
      facts = excluded.facts, etag = excluded.etag, last_modified = excluded.last_modified,
      asked_at = excluded.asked_at, fresh_until = excluded.fresh_until
    where known.asked_at <= excluded.asked_at`.execute(db)
}
