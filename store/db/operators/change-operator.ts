import { sql } from 'kysely'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import type { Db } from '../database.ts'

/** An absent property stays. `password`: argon2id, as a PHC string. */
export type OperatorChange = {
  readonly role?: OperatorRole
  readonly isDisabled?: boolean
  readonly password?: string
}

/**
 * Changes an operator. A new password and the end of an operator end all of its sessions; a new role
 * counts from the next request on.
 */
export async function changeOperator(
  db: Db,
  { operatorId, role, isDisabled = false, password }: OperatorChange & { operatorId: string },
): Promise<void> {
  const reason = isDisabled ? 'disabled' : 'new password'
  const endsSessions = isDisabled || password !== undefined
  await sql`
    with ended as (
      update operator_sessions set ended_at = now(), end_reason = ${reason}
      where operator_id = ${operatorId} and ended_at is null and ${endsSessions}
    ), codes as (
      delete from operator_sign_in_codes where operator_id = ${operatorId} and ${endsSessions}
    )
    update operators set role = coalesce(${role ?? null}, role),
      password = coalesce(${password ?? null}, password),
      disabled_at = case when ${isDisabled} then coalesce(disabled_at, now()) else disabled_at end
    where id = ${operatorId}`.execute(db)
}
