import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { OperatorAct } from './record-act.ts'

export type RecordedAct = OperatorAct & { readonly at: Date }

/**
 * Lists acts, the latest first; with `subject` only its own. A node's id and name mean the same.
 */
export async function listActs(
  db: Db,
  { limit, subject }: { limit: number; subject?: string },
): Promise<readonly RecordedAct[]> {
  const { rows } = await sql<RecordedAct>`
    select at, actor, act, subject, why from operator_acts
    where ${subject ?? null}::text is null or subject in (
      select ${subject ?? null} union
      select id::text from nodes where name = ${subject ?? null} union
      select id::text from gone_nodes where name = ${subject ?? null}
    )
    order by id desc limit ${limit}`.execute(db)
  return rows
}
