import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { type Project, projectColumns } from './get-project.ts'

/** Changes the given properties of a draft. Undefined: the account has no such draft. */
export async function changeProject(
  db: Db,
  {
    accountId,
    projectId,
    change: { name, payload },
  }: {
    accountId: string
    projectId: string
    change: { readonly name?: string; readonly payload?: unknown }
  },
): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    update projects set updated_at = now(), version = version + 1,
      name = coalesce(${name ?? null}, name),
      payload = coalesce(${payload === undefined ? null : jsonb(payload)}::jsonb, payload)
    where account_id = ${accountId} and id = ${projectId}
    returning ${projectColumns}, payload`.execute(db)
  return rows[0]
}
