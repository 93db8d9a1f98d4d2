import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { createUser } from '../store/db/accounts/create-user.ts'
import { findUser } from '../store/db/accounts/find-user.ts'
import { setPassword } from '../store/db/accounts/set-password.ts'
import type { Db } from '../store/db/database.ts'
import { endAllSessions } from '../store/db/sessions/end-all-sessions.ts'
import { listUsersWithSessions } from '../store/db/sessions/list-users-with-sessions.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { Email, expectEmail, NewPassword, SignIn, takePassword } from './passwords.ts'
import { IdOrName, Name, Nullable, Time } from './schemas.ts'

const ofAccount = Type.Object({ account: IdOrName })
const ofUser = Type.Object({ email: Email })

const User = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  firstName: Type.String(),
  lastName: Type.String(),
  emailVerified: Type.Boolean(),
  createdAt: Time,
  sessions: Type.Integer({ description: 'Open sessions' }),
  agents: Type.Integer({ description: 'Connected agents' }),
  lastUsedAt: Nullable(
    Type.String({ format: 'date-time', description: 'Last sign-in or refresh' }),
  ),
})

export const listUsersOperation = read({
  ...{ id: 'operatorListUsers', path: '/accounts/:account/users', role: 'viewer' },
  summary: 'List the users of an account, its owner first',
  params: ofAccount,
  answer: Type.Object({ users: Type.Array(User) }),
  async run({ db }, { account }) {
    const { id } = await requireAccount(db, account)
    return { users: await listUsersWithSessions(db, id) }
  },
})

export const createUserOperation = change({
  ...{ id: 'operatorCreateUser', path: '/accounts/:account/users', role: 'admin' },
  summary: 'Create a user who can sign in to an account',
  params: ofAccount,
  body: Type.Object({
    email: Email,
    password: NewPassword,
    firstName: Type.Optional(Name),
    lastName: Type.Optional(Name),
  }),
  answer: SignIn,
  async run(farm, { account, email, password, firstName = '', lastName = '', why }, actor) {
    expectEmail(email)
    const { db } = farm
    const { id: accountId } = await requireAccount(db, account)
    const { stored, shown } = await takePassword(farm, password)
    const done = { what: `users create ${email}`, subject: accountId, why, actor }
    const { id } = await act(db, done, async (tx) => {
      const names = { firstName, lastName }
      const user = await createUser(tx, { accountId, email, password: stored, ...names })
      if (user) return user
      const message = `EMAIL must be new. Got ${email}, which a user already has`
      throw new FarmError('conflict', message, { field: 'email' })
    })
    return { id, email, password: shown }
  },
})

export const setUserPasswordOperation = change({
  ...{ id: 'operatorSetUserPassword', path: '/users/:email/set-password', role: 'admin' },
  summary: 'Replace the password of a user, end their sessions and disconnect their agents',
  params: ofUser,
  body: Type.Object({ password: NewPassword }),
  answer: SignIn,
  async run(farm, { email, password, why }, actor) {
    const { db } = farm
    const { id, accountId } = await requireUser(db, email)
    const { stored, shown } = await takePassword(farm, password)
    const done = { what: `users set-password ${email}`, subject: accountId, why, actor }
    await act(db, done, (tx) => setPassword(tx, { email, password: stored }))
    return { id, email, password: shown }
  },
})

export const endUserSessionsOperation = change({
  ...{ id: 'operatorEndUserSessions', path: '/users/:email/end-sessions', role: 'admin' },
  summary: 'End the sessions of a user and disconnect their agents; the password stays',
  params: ofUser,
  answer: Type.Object({
    email: Type.String(),
    sessions: Type.Integer({ description: 'Sessions that ended' }),
    agents: Type.Integer({ description: 'Agents that were disconnected' }),
  }),
  async run({ db }, { email, why }, actor) {
    const { id: userId, accountId } = await requireUser(db, email)
    const done = { what: `users end-sessions ${email}`, subject: accountId, why, actor }
    const reason = 'ended by an operator'
    return { email, ...(await act(db, done, (tx) => endAllSessions(tx, { userId, reason }))) }
  },
})

async function requireUser(db: Db, email: string) {
  const user = await findUser(db, email)
  if (user) return user
  throw new FarmError('not_found', `EMAIL must be the address of a user. Got ${email}`)
}
