import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { openProject, type Project, type ProjectOf, type StoredProject } from './get-project.ts'

/** Finds a version of a draft, today's or an earlier one; undefined when it is not kept. */
export async function getProjectVersion(
  db: Db,
  { accountId, projectId, sealKeys, version }: ProjectOf & { readonly version: number },
): Promise<Project | undefined> {
  const { rows } = await sql<StoredProject>`
    select projects.id, projects.created_at as "createdAt", found.*
    from projects cross join lateral (
      select projects.version, projects.name, projects.sealed_name as "sealedName", projects.sealed,
        projects.seal_key as "sealKey", projects.payload as plain, projects.updated_at as "updatedAt"
      union all
      select version, name, sealed_name, sealed, seal_key, payload, updated_at from project_versions
      where project_id = projects.id and account_id = ${accountId}
    ) as found
    where account_id = ${accountId} and id = ${projectId} and found.version = ${version}`.execute(
    db,
  )
  return await openProject(sealKeys, rows[0])
}
