import { isEmail, passwordLength } from '../../core/accounts/passwords.ts'
import { usage } from '../failure.ts'
import { firstLine } from './first-line.ts'
import type { Answer } from './operate.ts'

/** @throws Failure with the exit code of wrong usage */
export function expectEmail(email: string): void {
  if (!isEmail(email)) throw usage(`EMAIL must look like name@example.com. Got ${email}`)
}

/** `passwordStdin`: the password is the first line of standard input; else the farm makes one. */
export type PasswordOptions = { readonly passwordStdin?: boolean; readonly json?: boolean }

/** Reads the password where the options say so. @throws Failure */
export async function readPassword({
  passwordStdin,
}: PasswordOptions): Promise<{ readonly password?: string }> {
  if (!passwordStdin) return {}
  const password = await firstLine()
  const { min, max } = passwordLength
  if (password.length >= min && password.length <= max) return { password }
  throw usage(`The password must have ${min} to ${max} characters. Got ${password.length}`)
}

/** `password`: one that the farm made; null: it was given. */
export function answerPassword({
  password,
  ...user
}: {
  readonly id?: string
  readonly email: string
  readonly password: string | null
}): Answer {
  if (password === null) return { json: user, text: `${user.email} may sign in` }
  const note = 'This is the only time the password is shown.'
  return {
    json: { ...user, password },
    text: `${user.email} may sign in with the password\n\n${password}\n\n${note}`,
  }
}
