import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { containing } from '../text-search.ts'
import { summaryColumns, type TemplateSummary } from './get-template.ts'

export type ListedTemplate = TemplateSummary & {
  /** Jobs submitted with it in the last 30 days. */
  readonly recentJobs: number
  /** Thumbnail of the last completed one of its newest jobs. */
  readonly thumbnailKey: string | null
  readonly filesExpireAt: Date | null
}

/** Jobs among which a thumbnail is looked for: most may have failed. */
const lookedThrough = 50

/**
 * One page of an account's templates, newest first, and the number of matches. `page` starts at 1;
 * `search` matches a part of the name, whatever its case.
 */
export async function listTemplates(
  db: Db,
  {
    accountId,
    archived,
    search,
    page,
    pageSize,
  }: { accountId: string; archived: boolean; search?: string; page: number; pageSize: number },
): Promise<{ readonly templates: readonly ListedTemplate[]; readonly total: number }> {
  const condition = sql`account_id = ${accountId} and (archived_at is not null) = ${archived}
    and ${search === undefined ? sql`true` : sql`name ilike ${containing(search)}`}`
  const [{ rows: templates }, { rows: counts }] = await Promise.all([
    // The page is cut out first: jobs of the templates before it are not counted.
    sql<ListedTemplate>`
      with page as materialized (
        select ${summaryColumns} from templates where ${condition}
        order by created_at desc, id limit ${pageSize} offset ${(page - 1) * pageSize}
      )
      select page.*, (
        select count(*) from jobs where account_id = ${accountId} and template_id = page.id
          and created_at > now() - interval '30 days'
      ) as "recentJobs", latest."thumbnailKey", latest."filesExpireAt"
      from page left join lateral (
        select thumbnail_key as "thumbnailKey", files_expire_at as "filesExpireAt"
        from (
          select thumbnail_key, files_expire_at, created_at from jobs
          where account_id = ${accountId} and template_id = page.id
          order by created_at desc limit ${lookedThrough}
        ) newest
        where thumbnail_key is not null order by created_at desc limit 1
      ) latest on true
      order by page."createdAt" desc, page.id`.execute(db),
    sql<{ total: number }>`select count(*) as total from templates where ${condition}`.execute(db),
  ])
  return { templates, total: counts[0]?.total ?? 0 }
}
