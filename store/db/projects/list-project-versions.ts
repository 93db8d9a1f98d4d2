import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type ProjectVersion = {
  readonly version: number
  readonly name: string
  readonly updatedAt: Date
}

/** Lists a draft's versions, the newest first, today's included. Empty: the account has no such draft. */
export async function listProjectVersions(
  db: Db,
  { accountId, projectId }: { accountId: string; projectId: string },
): Promise<readonly ProjectVersion[]> {
  const { rows } = await sql<ProjectVersion>`
    select version, name, updated_at as "updatedAt" from projects
      where account_id = ${accountId} and id = ${projectId}
    union all
    select version, name, updated_at from project_versions
      where account_id = ${accountId} and project_id = ${projectId}
    order by version desc`.execute(db)
  return rows
}
