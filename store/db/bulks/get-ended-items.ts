import { sql } from 'kysely'
import type { BulkItem } from '../../../core/project/schema/bulk.ts'
import type { RenderRequest } from '../../../core/project/schema/request.ts'
import type { Db } from '../database.ts'

/** States in which a job has ended without a file. */
export type EndedWithoutFile = 'failed' | 'cancelled'

/** Items of a bulk that are to be rendered again, with what they have in common. */
export type EndedItems = {
  readonly name: string
  readonly base: RenderRequest
  readonly templateId: string | null
  /** `index`: of the item in the request that made the bulk. */
  readonly items: readonly { readonly index: number; readonly item: BulkItem }[]
}

/**
 * Finds the items of a bulk whose jobs ended in one of these states; of `jobIds` alone, where given.
 * Undefined for another account's bulk.
 */
export async function getEndedItems(
  db: Db,
  {
    accountId,
    bulkId,
    states,
    jobIds,
  }: {
    accountId: string
    bulkId: string
    states: readonly EndedWithoutFile[]
    jobIds: readonly string[] | undefined
  },
): Promise<EndedItems | undefined> {
  const { rows } = await sql<EndedItems>`
    select b.name, b.base,
      (select template_id from jobs where bulk_id = b.id limit 1) as "templateId",
      coalesce((
        select jsonb_agg(
          jsonb_build_object('index', j.bulk_index, 'item', j.request) order by j.bulk_index
        )
        from jobs j where j.bulk_id = b.id and j.state = any(${states}::text[])
          and (${jobIds ?? null}::uuid[] is null or j.id = any(${jobIds ?? null}::uuid[]))
      ), '[]') as items
    from bulks b where b.account_id = ${accountId} and b.id = ${bulkId}`.execute(db)
  return rows[0]
}
