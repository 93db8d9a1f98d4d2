import { hashPassword } from '../../api/account/password.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findUser } from '../../store/db/accounts/find-user.ts'
import { listUsers } from '../../store/db/accounts/list-users.ts'
import { setPassword } from '../../store/db/accounts/set-password.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerRows, operate, requireAccount } from './operate.ts'
import { answerPassword, expectEmail, type PasswordOptions, takePassword } from './passwords.ts'

export async function addUser({
  account,
  email,
  firstName = '',
  lastName = '',
  ...options
}: PasswordOptions &
  ActOptions & {
    account: string
    email: string
    firstName?: string
    lastName?: string
  }): Promise<void> {
  expectEmail(email)
  const password = await takePassword(options)
  await operate(options.json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const stored = await hashPassword(password.text)
    const done = { what: `users create ${email}`, subject: accountId, ...options }
    const { id } = await act(db, done, async (tx) => {
      const names = { firstName, lastName }
      const user = await createUser(tx, { accountId, email, password: stored, ...names })
      if (user) return user
      throw new Failure(`EMAIL must be new. Got ${email}, which a user already has`)
    })
    return answerPassword({ id, email }, password)
  })
}

export async function changePassword({
  email,
  ...options
}: PasswordOptions & ActOptions & { email: string }): Promise<void> {
  const password = await takePassword(options)
  await operate(options.json, async (db) => {
    const stored = await hashPassword(password.text)
    const user = await findUser(db, email)
    if (!user) throw new Failure(`EMAIL must be the address of a user. Got ${email}`)
    const done = { what: `users set-password ${email}`, subject: user.accountId, ...options }
    await act(db, done, (tx) => setPassword(tx, { email, password: stored }))
    return answerPassword({ email }, password)
  })
}

export async function showUsers({
  account,
  json,
}: {
  account: string
  json?: boolean
}): Promise<void> {
  await operate(json, async (db) => {
    const { id } = await requireAccount(db, account)
    const users = await listUsers(db, id)
    return answerRows(
      users.map(({ id: user, email, firstName, lastName, createdAt }) => ({
        ...{ id: user, email, name: `${firstName} ${lastName}`.trim(), created: createdAt },
      })),
    )
  })
}
