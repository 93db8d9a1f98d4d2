import type { Generated } from 'kysely'
import type { OperatorRole } from '../../core/operators/roles.ts'
import type { WrittenByDatabase } from './fleet-schema.ts'

/** A person who runs the farm; never a user of an account. */
export type OperatorsTable = {
  id: Generated<string>
  email: string
  /** argon2id, as a PHC string. */
  password: string
  role: OperatorRole
  /** Name of the actor who created the operator. */
  made_by: string
  created_at: WrittenByDatabase
  disabled_at: Date | null
}

/** A sign-in of an operator, until its end. */
export type OperatorSessionsTable = {
  id: Generated<string>
  operator_id: string
  user_agent: Generated<string>
  created_at: WrittenByDatabase
  /** Sign-in or last refresh. */
  last_used_at: WrittenByDatabase
  /** Time at which the password was given last. */
  confirmed_at: WrittenByDatabase
  expires_at: Date
  ended_at: Date | null
  end_reason: Generated<string>
}

/** As RefreshTokensTable (schema.ts). */
export type OperatorRefreshTokensTable = {
  sha256: Buffer
  session_id: string
  created_at: WrittenByDatabase
  used_at: Date | null
  used_by: string | null
  successor: string | null
}

export type OperatorSignInCodesTable = { sha256: Buffer; operator_id: string; expires_at: Date }
