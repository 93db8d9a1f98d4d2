import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { type Project, projectColumns } from './get-project.ts'

/** Earlier versions that a draft keeps. */
const versionsKept = 50

/**
 * Changes the given properties of a draft and keeps the version before. `baseVersion`: the only
 * version to change; absent = any. Undefined: the account has no such draft, or of another version.
 */
export async function changeProject(
  db: Db,
  {
    accountId,
    projectId,
    change: { name, payload, baseVersion },
  }: {
    accountId: string
    projectId: string
    change: { readonly name?: string; readonly payload?: unknown; readonly baseVersion?: number }
  },
): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    with old as (
      select * from projects where account_id = ${accountId} and id = ${projectId}
        and version = coalesce(${baseVersion ?? null}::integer, version)
      for no key update
    ), kept as (
      insert into project_versions (project_id, version, account_id, name, payload, updated_at)
      select id, version, account_id, name, payload, updated_at from old
    ), dropped as (
      delete from project_versions using old
      where project_id = old.id and project_versions.version <= old.version - ${versionsKept}
    )
    update projects set updated_at = now(), version = projects.version + 1,
      name = coalesce(${name ?? null}, projects.name),
      payload = coalesce(${payload === undefined ? null : jsonb(payload)}::jsonb, projects.payload)
    from old where projects.id = old.id
    returning ${projectColumns}, projects.payload`.execute(db)
  return rows[0]
}
