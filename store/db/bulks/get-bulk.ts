import { type RawBuilder, sql } from 'kysely'
import type { BulkPart } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import type { RefusedItem } from '../schema.ts'

/** A bulk as its customer may see it. */
export type BulkView = {
  readonly id: string
  readonly name: string
  /** Items of the request, including the refused ones. */
  readonly items: number
  readonly refused: readonly RefusedItem[]
  /** Its jobs by state; a state without jobs is left out. */
  readonly parts: readonly (BulkPart & {
    readonly creditsReserved: number
    readonly creditsCharged: number
  })[]
  readonly createdAt: Date
  /** End of its last job, null while one is open. */
  readonly finishedAt: Date | null
}

/** Finds one bulk of an account; undefined for another account's. */
export async function getBulk(
  db: Db,
  { accountId, bulkId }: { accountId: string; bulkId: string },
): Promise<BulkView | undefined> {
  const condition = sql`b.account_id = ${accountId} and b.id = ${bulkId}`
  const [bulk] = await readBulks(db, condition, { limit: 1, offset: 0 })
  return bulk
}

/** Finds the named bulks of an account, in any order. */
export async function getBulks(
  db: Db,
  { accountId, bulkIds }: { accountId: string; bulkIds: readonly string[] },
): Promise<readonly BulkView[]> {
  const condition = sql`b.account_id = ${accountId} and b.id = any(${bulkIds}::text[])`
  return await readBulks(db, condition, { limit: bulkIds.length, offset: 0 })
}

/** Bulks that match, newest first. Frames are summed over the tasks of jobs in work only. */
export async function readBulks(
  db: Db,
  condition: RawBuilder<unknown>,
  { limit, offset }: { limit: number; offset: number },
): Promise<BulkView[]> {
  const { rows } = await sql<BulkView>`
    select b.id, b.name, b.items, b.refused, b.created_at as "createdAt",
      (select max(finished_at) from jobs where bulk_id = b.id
        having count(*) = count(finished_at)) as "finishedAt",
      (
        select jsonb_agg(to_jsonb(part)) from (
          select j.state, count(*) as jobs,
            jsonb_build_object(
              'total', sum(j.frames_total), 'reused', sum(j.frames_reused),
              'painted', sum(j.frames_painted),
              'done', coalesce(sum(worked.frames), 0)
            ) as frames,
            sum(j.credits_reserved) as "creditsReserved",
            sum(j.credits_charged) as "creditsCharged"
          from jobs j left join lateral (
            select sum(t.frames_done) as frames from tasks t where t.job_id = j.id
          ) as worked on j.state in ('rendering', 'assembling')
          where j.bulk_id = b.id group by j.state
        ) as part
      ) as parts
    from bulks b where ${condition}
    order by b.created_at desc, b.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}
