import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Project } from './get-project.ts'

/** Finds a version of a draft, today's or an earlier one; undefined when it is not kept. */
export async function getProjectVersion(
  db: Db,
  { accountId, projectId, version }: { accountId: string; projectId: string; version: number },
): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    select projects.id, projects.created_at as "createdAt", found.*,
      case found.payload ->> 'type' when 'image' then 'image' else 'video' end as type
    from projects cross join lateral (
      select projects.version, projects.name, projects.payload, projects.updated_at as "updatedAt"
      union all
      select version, name, payload, updated_at from project_versions
      where project_id = projects.id and account_id = ${accountId}
    ) as found
    where account_id = ${accountId} and id = ${projectId} and found.version = ${version}`.execute(
    db,
  )
  return rows[0]
}
