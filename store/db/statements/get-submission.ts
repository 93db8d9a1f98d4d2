import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs.ts'
import { requestOfItem } from '../../../core/project/bulk.ts'
import type { BulkItem } from '../../../core/project/schema/bulk.ts'
import type { RenderRequest } from '../../../core/project/schema/request.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** What a job's workflow starts from: the request as it was accepted, and the account's plan now. */
export type Submission = {
  readonly state: JobState
  readonly request: unknown
  readonly plan: string
  /** Where the account's tasks run; null = anywhere. */
  readonly pool: string | null
  readonly tags: readonly string[]
}

/** Undefined when the account has no such job. */
export async function getSubmission(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<Submission | undefined> {
  const { rows } = await sql<Submission & { base: RenderRequest | null }>`
    ${prepared('get-submission')} select j.state, j.request, a.plan, b.base,
      a.pool, a.node_tags as tags
    from jobs j join accounts a on a.id = j.account_id left join bulks b on b.id = j.bulk_id
    where j.account_id = ${accountId} and j.id = ${jobId}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { base, request, ...rest } = row
  return { ...rest, request: base ? requestOfItem(base, request as BulkItem) : request }
}
