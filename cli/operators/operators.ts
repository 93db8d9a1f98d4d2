import { hashPassword } from '../../api/account/password.ts'
import type { OperatorRole } from '../../core/operators/roles.ts'
import {
  addOperator,
  changeOperatorOnRecord,
  disableOperatorOperation,
  listOperatorsOperation,
  setRoleOperation,
} from '../../operator/operators.ts'
import type { OperatorView } from '../../store/db/operators/list-operators.ts'
import { answerOne, answerRows, operate, operateFarm } from '../accounts/operate.ts'
import {
  answerPassword,
  expectEmail,
  type PasswordOptions,
  takePassword,
} from '../accounts/passwords.ts'
import type { TableRow } from '../accounts/table.ts'
import { type ActOptions, actorOf } from '../fleet/act.ts'

type OfOperator = ActOptions & { readonly email: string }

/** `farm operators create EMAIL`: only on the database, so that the first one needs no other. */
export async function createOperator({
  email,
  role,
  why,
  ...options
}: OfOperator & PasswordOptions & { role: OperatorRole }): Promise<void> {
  expectEmail(email)
  const password = await takePassword(options)
  await operate(options.json, async (db) => {
    const stored = await hashPassword(password.text)
    const actor = actorOf(options)
    const { id } = await addOperator(db, { email, role, password: stored, why, actor })
    return answerPassword({ id, email }, password)
  })
}

/** `farm operators reset-password EMAIL`: ends all sessions of the operator. */
export async function resetPassword({
  email,
  why,
  ...options
}: OfOperator & PasswordOptions): Promise<void> {
  const password = await takePassword(options)
  await operate(options.json, async (db) => {
    const stored = await hashPassword(password.text)
    const done = { what: 'operators reset-password', why, actor: actorOf(options) }
    await changeOperatorOnRecord(db, { email, ...done, change: { password: stored } })
    return answerPassword({ email }, password)
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
