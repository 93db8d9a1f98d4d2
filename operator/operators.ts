import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { operatorRoles } from '../core/operators/roles.ts'
import type { Db } from '../store/db/database.ts'
import { changeOperator, type OperatorChange } from '../store/db/operators/change-operator.ts'
import { createOperator } from '../store/db/operators/create-operator.ts'
import { listOperators, type OperatorView } from '../store/db/operators/list-operators.ts'
import { act } from './act.ts'
import { change, read } from './operation.ts'
import { Email, expectEmail, NewPassword, SignIn, takePassword } from './passwords.ts'
import { Nullable, Time } from './schemas.ts'

const params = Type.Object({ email: Email })
const Role = Type.Enum([...operatorRoles])

const Operator = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  role: Role,
  madeBy: Type.String(),
  createdAt: Time,
  disabledAt: Nullable(Time),
  lastUsedAt: Nullable(Time),
})

export const listOperatorsOperation = read({
  ...{ id: 'operatorListOperators', path: '/operators', role: 'admin' },
  summary: 'List operators',
  answer: Type.Object({ operators: Type.Array(Operator) }),
  run: async ({ db }) => ({ operators: await listOperators(db) }),
})

export const disableOperatorOperation = change({
  ...{ id: 'operatorDisableOperator', path: '/operators/:email/disable', role: 'admin' },
  summary: 'Refuse an operator from now on, and end all sessions of theirs',
  ...{ params, answer: Operator },
  run: async ({ db }, { email, why }, actor) =>
    await changeOperatorOnRecord(db, {
      ...{ email, why, actor, what: 'operators disable' },
      change: { isDisabled: true },
    }),
})

export const setRoleOperation = change({
  ...{ id: 'operatorSetRole', path: '/operators/:email/role', role: 'admin' },
  summary: 'Change the role of an operator, from the next request on',
  ...{ params, body: Type.Object({ role: Role }), answer: Operator },
  run: async ({ db }, { email, role, why }, actor) =>
    await changeOperatorOnRecord(db, {
      ...{ email, why, actor, what: `operators role ${role}` },
      change: { role },
    }),
})

export const createOperatorOperation = change({
  ...{ id: 'operatorCreateOperator', path: '/operators', role: 'admin' },
  summary: 'Create an operator, who signs in by email and password',
  body: Type.Object({ email: Email, role: Role, password: NewPassword }),
  answer: SignIn,
  async run(farm, { email, role, password, why }, actor) {
    expectEmail(email)
    const { stored, shown } = await takePassword(farm, password)
    const done = { what: `operators create --role ${role}`, subject: email, why, actor }
    const { id } = await act(farm.db, done, async (tx) => {
      const made = await createOperator(tx, { email, role, password: stored, madeBy: actor })
      if (made) return made
      const message = `EMAIL must be new. Got ${email}, which an operator already has`
      throw new FarmError('conflict', message, { field: 'email' })
    })
    return { id, email, password: shown }
  },
})

export const resetPasswordOperation = change({
  ...{ id: 'operatorResetPassword', path: '/operators/:email/reset-password', role: 'admin' },
  summary: 'Replace the password of an operator, and end all sessions of theirs',
  ...{ params, body: Type.Object({ password: NewPassword }), answer: SignIn },
  async run(farm, { email: named, password, why }, actor) {
    const { db } = farm
    await requireOperator(db, named)
    const { stored, shown } = await takePassword(farm, password)
    const { id, email } = await changeOperatorOnRecord(db, {
      ...{ email: named, why, actor, what: 'operators reset-password' },
      change: { password: stored },
    })
    return { id, email, password: shown }
  },
})

type OnRecord = { readonly why: string; readonly actor: string }

async function changeOperatorOnRecord(
  db: Db,
  {
    email,
    what,
    change: changed,
    ...onRecord
  }: { email: string; what: string; change: OperatorChange } & OnRecord,
): Promise<OperatorView> {
  const { id: operatorId, email: subject } = await requireOperator(db, email)
  await act(db, { what, subject, ...onRecord }, (tx) =>
    changeOperator(tx, { operatorId, ...changed }),
  )
  return await requireOperator(db, email)
}

async function requireOperator(db: Db, email: string): Promise<OperatorView> {
  const [found] = await listOperators(db, { email })
  if (found) return found
  throw new FarmError('not_found', `EMAIL must be the address of an operator. Got ${email}`)
}
