import { randomBytes } from 'node:crypto'
import { passwordLength } from '../../api/account/password.ts'
import { usage } from '../failure.ts'
import { firstLine } from './first-line.ts'
import type { Answer } from './operate.ts'

const generatedBytes = 18
/** Checks the shape only; delivery of mail is not checked. */
const emailShape = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

/** @throws Failure with the exit code of wrong usage */
export function expectEmail(email: string): void {
  if (!emailShape.test(email)) throw usage(`EMAIL must look like name@example.com. Got ${email}`)
}

/**
 * `passwordStdin`: the password is the first line of standard input; else one is generated and
 * shown.
 */
export type PasswordOptions = { readonly passwordStdin?: boolean; readonly json?: boolean }

type Password = { readonly text: string; readonly isGenerated: boolean }

export async function takePassword({ passwordStdin }: PasswordOptions): Promise<Password> {
  if (!passwordStdin) {
    return { text: randomBytes(generatedBytes).toString('base64url'), isGenerated: true }
  }
  const text = await firstLine()
  const { min, max } = passwordLength
  if (text.length >= min && text.length <= max) return { text, isGenerated: false }
  throw usage(`The password must have ${min} to ${max} characters. Got ${text.length}`)
}

export function answerPassword(user: { id?: string; email: string }, password: Password): Answer {
  if (!password.isGenerated) return { json: user, text: `${user.email} may sign in` }
  const note = 'This is the only time the password is shown.'
  return {
    json: { ...user, password: password.text },
    text: `${user.email} may sign in with the password\n\n${password.text}\n\n${note}`,
  }
}
