import type { OperatorRole } from '../../core/operators/roles.ts'
import {
  createOperatorOperation,
  disableOperatorOperation,
  listOperatorsOperation,
  resetPasswordOperation,
  setRoleOperation,
} from '../../operator/operators.ts'
import type { OperatorView } from '../../store/db/operators/list-operators.ts'
import { answerOne, answerRows, operateFarm } from '../accounts/operate.ts'
import {
  answerPassword,
  expectEmail,
  type PasswordOptions,
  readPassword,
} from '../accounts/passwords.ts'
import type { TableRow } from '../accounts/table.ts'
import type { ActOptions } from '../fleet/act.ts'

type OfOperator = ActOptions & { readonly email: string }

/** `farm operators create EMAIL`: the first one on the database, which needs no other. */
export async function createOperator({
  email,
  role,
  why,
  passwordStdin = false,
  ...options
}: OfOperator & PasswordOptions & { role: OperatorRole }): Promise<void> {
  expectEmail(email)
  const given = await readPassword({ passwordStdin })
  await operateFarm(options, async (farm) =>
    answerPassword(await farm.run(createOperatorOperation, { email, role, ...given, why })),
  )
}

/** `farm operators reset-password EMAIL`: ends all sessions of the operator. */
export async function resetPassword({
  email,
  why,
  passwordStdin = false,
  ...options
}: OfOperator & PasswordOptions): Promise<void> {
  const given = await readPassword({ passwordStdin })
  await operateFarm(options, async (farm) => {
    const { password } = await farm.run(resetPasswordOperation, { email, ...given, why })
    return answerPassword({ email, password })
  })
}

export async function showOperators({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { operators } = await farm.run(listOperatorsOperation, {})
    return answerRows(operators.map(rowOf))
  })
}

export async function disableOperator({ email, why, ...options }: OfOperator): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(disableOperatorOperation, { email, why }))),
  )
}

export async function changeRole({
  email,
  role,
  why,
  ...options
}: OfOperator & { role: OperatorRole }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(setRoleOperation, { email, role, why }))),
  )
}

function rowOf({ email, role, ...operator }: OperatorView): TableRow {
  const { madeBy, createdAt: created, lastUsedAt: used, disabledAt: disabled } = operator
  return { email, role, 'made by': madeBy, created, used, disabled }
}
