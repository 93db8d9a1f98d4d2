import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { containing } from '../text-search.ts'
import { type ProjectSummary, projectColumns } from './get-project.ts'

/**
 * One page of an account's drafts, newest first, and the number of matches. `page` starts at 1;
 * `search` matches a part of the name, whatever its case.
 */
export async function listProjects(
  db: Db,
  {
    accountId,
    search,
    page,
    pageSize,
  }: { accountId: string; search?: string; page: number; pageSize: number },
): Promise<{ readonly projects: readonly ProjectSummary[]; readonly total: number }> {
  const condition = sql`account_id = ${accountId}
    and ${search === undefined ? sql`true` : sql`name ilike ${containing(search)}`}`
  const [{ rows: projects }, { rows: counts }] = await Promise.all([
    sql<ProjectSummary>`
      select ${projectColumns} from projects where ${condition}
      order by created_at desc, id limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number }>`select count(*) as total from projects where ${condition}`.execute(db),
  ])
  return { projects, total: counts[0]?.total ?? 0 }
}
