import { type RawBuilder, sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { openJson, type StoredJson } from '../sealed-json.ts'
import { openName, type StoredName } from './draft-name.ts'

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

type Payload = Readonly<Record<string, unknown>>

export type Project = ProjectSummary & { readonly payload: Payload }

/** A draft's summary as its row has it. */
export type StoredSummary = Omit<ProjectSummary, 'name'> & StoredName

/** A draft as its row has it. */
export type StoredProject = StoredSummary & StoredJson<Payload>

/** A draft of an account, and the keys that open it. */
export type ProjectOf = {
  readonly accountId: string
  readonly projectId: string
  readonly sealKeys: SealKeys
}

export const projectColumns: RawBuilder<unknown> = sql`projects.id, projects.name,
  projects.sealed_name as "sealedName",
  coalesce(projects.sealed_type, projects.type) as type, projects.version,
  projects.created_at as "createdAt", projects.updated_at as "updatedAt"`

export const payloadColumns: RawBuilder<unknown> = sql`projects.sealed,
  projects.seal_key as "sealKey", projects.payload as plain`

/** Names the rows of a draft, which has the same seal in all its versions. */
export function sealedAsDraft(projectId: string): string {
  return `draft ${projectId}`
}

export function typeOf({ type }: Payload): 'video' | 'image' {
  return type === 'image' ? 'image' : 'video'
}

/** Finds one draft of an account; undefined for another account's. */
export async function getProject(
  db: Db,
  { accountId, projectId, sealKeys }: ProjectOf,
): Promise<Project | undefined> {
  const { rows } = await sql<StoredProject>`
    select ${projectColumns}, ${payloadColumns} from projects
    where account_id = ${accountId} and id = ${projectId}`.execute(db)
  return await openProject(sealKeys, rows[0])
}

export async function openProject(
  keys: SealKeys,
  row: StoredProject | undefined,
): Promise<Project | undefined> {
  if (row === undefined) return undefined
  const { sealed, sealKey, plain, ...summary } = row
  const payload = await openJson(keys, { sealed, sealKey, plain }, sealedAsDraft(row.id))
  return { ...openSummary(keys, summary), type: typeOf(payload), payload }
}

export function openSummary(
  keys: SealKeys,
  { name, sealedName, ...rest }: StoredSummary,
): ProjectSummary {
  return { ...rest, name: openName(keys, { name, sealedName }, rest.id) }
}
