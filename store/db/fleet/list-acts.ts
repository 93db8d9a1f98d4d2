import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { OperatorAct } from './record-act.ts'

export type RecordedAct = OperatorAct & { readonly id: number; readonly at: Date }

/**
 * Lists acts, the latest first; with `subject` only its own. A node's id and name mean the same.
 * `before`: id of an act; only earlier ones.
 */
export async function listActs(
  db: Db,
  { limit, subject, before }: { limit: number; subject?: string; before?: number },
): Promise<readonly RecordedAct[]> {
  const { rows } = await sql<RecordedAct>`
    select id, at, actor, act, subject, why from operator_acts
    where (${before ?? null}::bigint is null or id < ${before ?? null})
      and (${subject ?? null}::text is null or subject in (
      select ${subject ?? null} union
      select id::text from nodes where name = ${subject ?? null} union
      select id::text from gone_nodes where name = ${subject ?? null}
    ))
    order by id desc limit ${limit}`.execute(db)
  return rows
}
