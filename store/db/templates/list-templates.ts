import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { containing } from '../text-search.ts'
import { summaryColumns, type TemplateSummary } from './get-template.ts'

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
): Promise<{ readonly templates: readonly TemplateSummary[]; readonly total: number }> {
  const condition = sql`account_id = ${accountId} and (archived_at is not null) = ${archived}
    and ${search === undefined ? sql`true` : sql`name ilike ${containing(search)}`}`
  const [{ rows: templates }, { rows: counts }] = await Promise.all([
    sql<TemplateSummary>`
      select ${summaryColumns} from templates where ${condition}
      order by created_at desc, id limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number }>`select count(*) as total from templates where ${condition}`.execute(db),
  ])
  return { templates, total: counts[0]?.total ?? 0 }
}
