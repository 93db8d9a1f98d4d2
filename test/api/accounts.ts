import { hashPassword } from '../../api/account/password.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import type { Gateway } from './gateway.ts'

export const password = 'correct horse battery'

let users = 0

/** Creates a user of an account and signs in; returns both with the reply. */
export async function signIn(gateway: Gateway, accountId: string) {
  users += 1
  const email = `Ada.${users}@Example.com`
  const stored = await hashPassword(password)
  const names = { firstName: 'Ada', lastName: 'Lovelace' }
  const user = await createUser(gateway.db, { accountId, email, password: stored, ...names })
  const reply = await call(gateway, 'POST', '/api/auth/sign-in', { body: { email, password } })
  return { email, userId: user?.id, reply, ...(reply.json() as Tokens) }
}

export type Tokens = { readonly accessToken: string; readonly refreshToken: string }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export async function call(
  { server }: Gateway,
  method: Method,
  url: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const json = { 'content-type': 'application/json' }
  return await server.inject({
    ...{ method, url, headers: { ...headers, ...(body !== undefined && json) } },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
}

export function bearer(accessToken: string): Record<string, string> {
  return { authorization: `Bearer ${accessToken}` }
}
