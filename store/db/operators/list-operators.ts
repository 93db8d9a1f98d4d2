import { sql } from 'kysely'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import type { Db } from '../database.ts'

/** An operator as others see it: without the password. */
export type OperatorView = {
  readonly id: string
  readonly email: string
  readonly role: OperatorRole
  readonly madeBy: string
  readonly createdAt: Date
  /** Null: may sign in. */
  readonly disabledAt: Date | null
  /** Sign-in or last refresh of a session, the latest; null before the first. */
  readonly lastUsedAt: Date | null
}

/** Lists operators by email, or the one with an email, in any case of its letters. */
export async function listOperators(
  db: Db,
  { email }: { email?: string } = {},
): Promise<readonly OperatorView[]> {
  const { rows } = await sql<OperatorView>`
    select o.id, o.email, o.role, o.made_by as "madeBy", o.created_at as "createdAt",
      o.disabled_at as "disabledAt",
      (select max(last_used_at) from operator_sessions s where s.operator_id = o.id) as "lastUsedAt"
    from operators o
    where ${email ?? null}::text is null or lower(o.email) = lower(${email ?? null}::text)
    order by lower(o.email)`.execute(db)
  return rows
}
