import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { openName, type StoredName } from './draft-name.ts'
import type { ProjectOf } from './get-project.ts'

export type ProjectVersion = {
  readonly version: number
  readonly name: string
  readonly updatedAt: Date
}

/** Lists a draft's versions, the newest first, today's included. Empty: the account has no such draft. */
export async function listProjectVersions(
  db: Db,
  { accountId, projectId, sealKeys }: ProjectOf,
): Promise<readonly ProjectVersion[]> {
  const { rows } = await sql<Omit<ProjectVersion, 'name'> & StoredName>`
    select version, name, sealed_name as "sealedName", updated_at as "updatedAt" from projects
      where account_id = ${accountId} and id = ${projectId}
    union all
    select version, name, sealed_name, updated_at from project_versions
      where account_id = ${accountId} and project_id = ${projectId}
    order by version desc`.execute(db)
  return rows.map(({ version, updatedAt, ...stored }) => ({
    ...{ version, name: openName(sealKeys, stored, projectId), updatedAt },
  }))
}
