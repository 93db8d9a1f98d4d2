import pg from 'pg'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import type { Db } from '../database.ts'

export type NewOperator = {
  readonly email: string
  /** argon2id, as a PHC string. */
  readonly password: string
  readonly role: OperatorRole
  readonly madeBy: string
}

/** Creates an operator. Undefined: the email belongs to another one, whatever its case. */
export async function createOperator(
  db: Db,
  { email, password, role, madeBy }: NewOperator,
): Promise<{ readonly id: string } | undefined> {
  try {
    return await db
      .insertInto('operators')
      .values({ email, password, role, made_by: madeBy })
      .returning('id')
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'operators_email')
      return undefined
    throw error
  }
}
