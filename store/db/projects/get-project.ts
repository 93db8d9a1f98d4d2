import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** A draft without its payload, which may be large. */
export type ProjectSummary = {
  readonly id: string
  readonly name: string
  readonly type: 'video' | 'image'
  /** 1, and one more with each change. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type Project = ProjectSummary & { readonly payload: Readonly<Record<string, unknown>> }

export const projectColumns: RawBuilder<unknown> = sql`projects.id, projects.name, projects.type, projects.version,
  projects.created_at as "createdAt", projects.updated_at as "updatedAt"`

/** Finds one draft of an account; undefined for another account's. */
export async function getProject(
  db: Db,
  { accountId, projectId }: { accountId: string; projectId: string },
): Promise<Project | undefined> {
  const { rows } = await sql<Project>`
    select ${projectColumns}, payload from projects
    where account_id = ${accountId} and id = ${projectId}`.execute(db)
  return rows[0]
}
