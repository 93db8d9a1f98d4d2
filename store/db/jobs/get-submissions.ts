import { sql } from 'kysely'
import type { JobPreview, JobState } from '../../../core/jobs/jobs.ts'
import { requestOfItem } from '../../../core/project/bulk.ts'
import type { BulkItem } from '../../../core/project/schema/bulk.ts'
import type { RenderRequest } from '../../../core/project/schema/request.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Input of a job's workflow: the accepted request, and the account's plan now. */
export type Submission = {
  readonly state: JobState
  readonly request: unknown
  /** Null: it is a render. */
  readonly preview: JobPreview | null
  readonly plan: string
  /** Pool of the account's tasks; null = anywhere. */
  readonly pool: string | null
  readonly tags: readonly string[]
}

type Row = Submission & {
  readonly id: string
  readonly bulkId: string | null
  /** Set in the first row of each bulk only. */
  readonly base: RenderRequest | null
}

/** Finds submissions in the order of the jobs; undefined where the account has no such job. */
export async function getSubmissions(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<readonly (Submission | undefined)[]> {
  const { rows } = await sql<Row>`
    ${prepared('get-submissions')} select j.id, j.state, j.request, j.preview, a.plan,
      a.pool, a.node_tags as tags, j.bulk_id as "bulkId",
      case when row_number() over (partition by j.bulk_id) = 1 then b.base end as base
    from jobs j join accounts a on a.id = j.account_id left join bulks b on b.id = j.bulk_id
    where j.account_id = ${accountId} and j.id = any(${jobIds}::uuid[])`.execute(db)
  const bases = new Map(rows.flatMap(({ bulkId, base }) => (base ? [[bulkId, base]] : [])))
  const submissions = new Map(
    rows.map(({ id, bulkId, base: _, request, ...rest }): [string, Submission] => {
      const base = bases.get(bulkId)
      return [id, { ...rest, request: base ? requestOfItem(base, request as BulkItem) : request }]
    }),
  )
  return jobIds.map((id) => submissions.get(id))
}

/** Finds a job's submission; undefined when the account has no such job. */
export async function getSubmission(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<Submission | undefined> {
  const [submission] = await getSubmissions(db, { accountId, jobIds: [jobId] })
  return submission
}
