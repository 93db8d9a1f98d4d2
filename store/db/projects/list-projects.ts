import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SealKeys } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { openName, type StoredName } from './draft-name.ts'
import {
  openSummary,
  type ProjectSummary,
  projectColumns,
  type StoredSummary,
} from './get-project.ts'

type Listing = {
  readonly accountId: string
  readonly sealKeys: SealKeys
  readonly search?: string
  /** Starts at 1. */
  readonly page: number
  readonly pageSize: number
}

type Page = { readonly projects: readonly ProjectSummary[]; readonly total: number }

/** Names that are opened before other requests get a turn: less than 10 ms of work. */
const namesPerTurn = 500

/**
 * One page of an account's drafts, newest first, and the number of matches. `search` matches a part
 * of the name, whatever its case.
 */
export async function listProjects(db: Db, listing: Listing): Promise<Page> {
  const { accountId, search, page, pageSize } = listing
  const first = (page - 1) * pageSize
  if (search !== undefined) {
    const matches = await matchingIds(db, { ...listing, search })
    const ids = matches.slice(first, first + pageSize)
    const projects = await select(db, listing, sql`id = any(${ids}::text[]) order by ${order}`)
    return { projects, total: matches.length }
  }
  const [projects, { rows: counts }] = await Promise.all([
    select(db, listing, sql`true order by ${order} limit ${pageSize} offset ${first}`),
    sql<{ total: number }>`
      select count(*) as total from projects where account_id = ${accountId}`.execute(db),
  ])
  return { projects, total: counts[0]?.total ?? 0 }
}

const order = sql`created_at desc, id`

async function select(
  db: Db,
  { accountId, sealKeys }: Listing,
  condition: ReturnType<typeof sql>,
): Promise<readonly ProjectSummary[]> {
  const { rows } = await sql<StoredSummary>`
    select ${projectColumns} from projects
    where account_id = ${accountId} and ${condition}`.execute(db)
  return rows.map((row) => openSummary(sealKeys, row))
}

/** Names are sealed, so all of an account's are opened; its plan bounds how many there are. */
async function matchingIds(
  db: Db,
  { accountId, sealKeys, search }: Listing & { readonly search: string },
): Promise<readonly string[]> {
  const { rows } = await sql<StoredName & { readonly id: string }>`
    select id, name, sealed_name as "sealedName" from projects
    where account_id = ${accountId} order by ${order}`.execute(db)
  const part = search.toLowerCase()
  const ids: string[] = []
  for (const [index, { id, ...stored }] of rows.entries()) {
    if (index % namesPerTurn === namesPerTurn - 1) await setImmediate()
    if (openName(sealKeys, stored, id).toLowerCase().includes(part)) ids.push(id)
  }
  return ids
}
