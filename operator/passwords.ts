import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { isEmail, passwordLength } from '../core/accounts/passwords.ts'
import { FarmError } from '../core/errors.ts'
import { text } from '../core/project/schema/fields.ts'
import type { FarmAccess } from './operation.ts'
import { Nullable } from './schemas.ts'

const generatedBytes = 18

/** An email address in a path or a body. */
export const Email = Type.Unsafe<string>({ ...text(320, 1), title: 'an email address' })

/** Field of a change that sets a password. */
export const NewPassword = Type.Optional({
  ...text(passwordLength.max, passwordLength.min),
  description: 'One is made if absent',
})

/** Answer of a change that sets a password. */
export const SignIn = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  password: Nullable(
    Type.String({ description: 'Made by the farm, and shown only in this answer; null: given' }),
  ),
})

/**
 * Takes the given password, or makes one. `stored`: its hash. `shown`: what the answer has, null for a
 * given one.
 */
export async function takePassword(
  { hashPassword }: Pick<FarmAccess, 'hashPassword'>,
  given: string | undefined,
): Promise<{ readonly stored: string; readonly shown: string | null }> {
  const password = given ?? randomBytes(generatedBytes).toString('base64url')
  return { stored: await hashPassword(password), shown: given === undefined ? password : null }
}

/** @throws FarmError unless it looks like an address */
export function expectEmail(email: string): void {
  if (isEmail(email)) return
  const message = `EMAIL must look like name@example.com. Got ${email}`
  throw new FarmError('invalid_value', message, { field: 'email' })
}
