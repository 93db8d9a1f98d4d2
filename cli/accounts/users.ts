import { randomBytes } from 'node:crypto'
import { text as readStream } from 'node:stream/consumers'
import { hashPassword, passwordLength } from '../../api/account/password.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findUser } from '../../store/db/accounts/find-user.ts'
import { listUsers } from '../../store/db/accounts/list-users.ts'
import { setPassword } from '../../store/db/accounts/set-password.ts'
import { Failure, usage } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { type Answer, answerRows, operate, requireAccount } from './operate.ts'

const generatedBytes = 18
/** Checks the shape only; delivery of mail is not checked. */
const emailShape = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

/**
 * `passwordStdin`: the password is the first line of standard input; else one is generated and
 * shown.
 */
type PasswordOptions = { readonly passwordStdin?: boolean; readonly json?: boolean }

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
  if (!emailShape.test(email)) throw usage(`EMAIL must look like name@example.com. Got ${email}`)
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

type Password = { readonly text: string; readonly isGenerated: boolean }

async function takePassword({ passwordStdin }: PasswordOptions): Promise<Password> {
  if (!passwordStdin) {
    return { text: randomBytes(generatedBytes).toString('base64url'), isGenerated: true }
  }
  const [text = ''] = (await readStream(process.stdin)).split(/\r?\n/)
  const { min, max } = passwordLength
  if (text.length >= min && text.length <= max) return { text, isGenerated: false }
  throw usage(`The password must have ${min} to ${max} characters. Got ${text.length}`)
}

function answerPassword(user: { id?: string; email: string }, password: Password): Answer {
  if (!password.isGenerated) return { json: user, text: `${user.email} may sign in` }
  const note = 'This is the only time the password is shown.'
  return {
    json: { ...user, password: password.text },
    text: `${user.email} may sign in with the password\n\n${password.text}\n\n${note}`,
  }
}
