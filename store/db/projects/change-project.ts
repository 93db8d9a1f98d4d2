import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { sealJson } from '../sealed-json.ts'
import { sealName } from './draft-name.ts'
import {
  openProject,
  type Project,
  type ProjectOf,
  payloadColumns,
  projectColumns,
  type StoredProject,
  sealedAsDraft,
  typeOf,
} from './get-project.ts'

/** Earlier versions that a draft keeps. */
const versionsKept = 50

type Change = {
  readonly name?: string
  readonly payload?: Project['payload']
  readonly baseVersion?: number
}

/**
 * Changes the given properties of a draft and keeps the version before. `baseVersion`: the only
 * version to change; absent = any. Undefined: the account has no such draft, or of another version.
 */
export async function changeProject(
  db: Db,
  {
    accountId,
    projectId,
    sealKeys,
    change: { name, payload, baseVersion },
  }: ProjectOf & { readonly change: Change },
): Promise<Project | undefined> {
  const sealed = payload && (await sealJson(sealKeys, payload, sealedAsDraft(projectId)))
  const sets = sealed
    ? sql`sealed = ${sealed.sealed}, seal_key = ${sealed.keyId}, sealed_type = ${typeOf(payload)},
        payload = null`
    : sql`sealed = projects.sealed`
  const renamed =
    name === undefined
      ? sql`sealed_name = projects.sealed_name`
      : sql`sealed_name = ${sealName(sealKeys, name, projectId)}, name = null`
  const { rows } = await sql<StoredProject>`
    with old as (
      select * from projects where account_id = ${accountId} and id = ${projectId}
        and version = coalesce(${baseVersion ?? null}::integer, version)
      for no key update
    ), kept as (
      insert into project_versions
        (project_id, version, account_id, name, sealed_name, sealed, seal_key, payload, updated_at)
      select id, version, account_id, name, sealed_name, sealed, seal_key, payload, updated_at from old
    ), dropped as (
      delete from project_versions using old
      where project_id = old.id and project_versions.version <= old.version - ${versionsKept}
    )
    update projects set updated_at = now(), version = projects.version + 1,
      ${renamed}, ${sets}
    from old where projects.id = old.id
    returning ${projectColumns}, ${payloadColumns}`.execute(db)
  return await openProject(sealKeys, rows[0])
}
