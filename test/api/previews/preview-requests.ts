import { sql } from 'kysely'
import type { Db } from '../../../store/db/database.ts'
import { film } from '../gateway.ts'

export const path = '/api/render/preview'
export const filmOf = (changes: object = {}) => ({ payload: { ...film, ...changes } })
export const named = (name: string, rest: object = {}) => ({ ...filmOf({ name }), ...rest })

type Row = { id: string; accountId: string; fingerprint: string; priority: string; held: number }

export async function listPreviews(db: Db, accountId: string): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select id, account_id as "accountId", preview->>'fingerprint' as fingerprint, priority,
      credits_reserved as held
    from jobs where account_id = ${accountId} and preview is not null order by created_at`.execute(
    db,
  )
  return rows
}
