import {
  createUserOperation,
  endUserSessionsOperation,
  listUsersOperation,
  setUserPasswordOperation,
} from '../../operator/users.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerOne, answerRows, operateFarm } from './operate.ts'
import { answerPassword, expectEmail, type PasswordOptions, readPassword } from './passwords.ts'

export async function addUser({
  account,
  email,
  firstName,
  lastName,
  why,
  passwordStdin = false,
  ...options
}: PasswordOptions &
  ActOptions & {
    account: string
    email: string
    firstName?: string
    lastName?: string
  }): Promise<void> {
  expectEmail(email)
  const names = {
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
  }
  const given = await readPassword({ passwordStdin })
  await operateFarm(options, async (farm) =>
    answerPassword(
      await farm.run(createUserOperation, { account, email, ...names, ...given, why }),
    ),
  )
}

export async function changePassword({
  email,
  why,
  passwordStdin = false,
  ...options
}: PasswordOptions & ActOptions & { email: string }): Promise<void> {
  const given = await readPassword({ passwordStdin })
  await operateFarm(options, async (farm) => {
    const { password } = await farm.run(setUserPasswordOperation, { email, ...given, why })
    return answerPassword({ email, password })
  })
}

export async function endSessions({
  email,
  why,
  ...options
}: ActOptions & { email: string }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(await farm.run(endUserSessionsOperation, { email, why })),
  )
}

export async function showUsers({
  account,
  json,
}: {
  account: string
  json?: boolean
}): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { users } = await farm.run(listUsersOperation, { account })
    return answerRows(
      users.map(({ id, email, firstName, lastName, sessions, agents, ...times }) => ({
        ...{ id, email, name: `${firstName} ${lastName}`.trim(), sessions, agents },
        ...{ created: times.createdAt, used: times.lastUsedAt },
      })),
    )
  })
}
