import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { OperatorAct } from './record-act.ts'

export type RecordedAct = OperatorAct & { readonly id: number; readonly at: Date }

/**
 * Lists acts, the latest first; with `subject` only its own. A node's id and name mean the same.
 * `before`: id of an act; only earlier ones. `actor`, `act`: a part of who did it, or of what was done.
 */
export async function listActs(
  db: Db,
  {
    limit,
    subject,
    before,
    actor,
    act,
  }: {
    limit: number
    subject?: string
    before?: number
    actor?: string
    act?: string
  },
): Promise<readonly RecordedAct[]> {
  const { rows } = await sql<RecordedAct>`
    select id, at, actor, act, subject, why from operator_acts
    where (${before ?? null}::bigint is null or id < ${before ?? null})
      and (${actor ?? null}::text is null or strpos(lower(actor), lower(${actor ?? null})) > 0)
      and (${act ?? null}::text is null or strpos(lower(act), lower(${act ?? null})) > 0)
      and (${subject ?? null}::text is null or subject in (
      select ${subject ?? null} union
      select id::text from nodes where name = ${subject ?? null} union
      select id::text from gone_nodes where name = ${subject ?? null}
    ))
    order by id desc limit ${limit}`.execute(db)
  return rows
}
