import { sql } from 'kysely'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import type { Db } from '../database.ts'

export type OperatorSession = {
  readonly operatorId: string
  readonly email: string
  readonly role: OperatorRole
  /** Seconds since the password was given last. */
  readonly confirmedSeconds: number
}

/** Finds the operator of a session; undefined when it is over, or the operator is disabled. */
export async function findOperatorSession(
  db: Db,
  sessionId: string,
): Promise<OperatorSession | undefined> {
  const { rows } = await sql<OperatorSession>`
    select o.id as "operatorId", o.email, o.role,
      extract(epoch from now() - s.confirmed_at)::float8 as "confirmedSeconds"
    from operator_sessions s join operators o on o.id = s.operator_id
    where s.id = ${sessionId} and s.ended_at is null and s.expires_at > now()
      and o.disabled_at is null`.execute(db)
  return rows[0]
}
