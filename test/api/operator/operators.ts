import { randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from '../../../api/account/password.ts'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import { createOperator } from '../../../store/db/operators/create-operator.ts'
import { startOperatorSession } from '../../../store/db/operators/start-operator-session.ts'
import { bearer } from '../accounts.ts'
import type { Gateway } from '../gateway.ts'

export const password = 'correct horse battery'

/** Adds an operator, signed in. `stored`: the hash of the password; absent: nobody can sign in by it. */
export async function addOperator({ db, context }: Gateway, role: OperatorRole, stored = 'none') {
  const email = `${role}-${randomUUID()}@example.com`
  const made = await createOperator(db, { email, role, password: stored, madeBy: 'test' })
  if (!made) throw new Error('The operator must be new')
  const token = randomBytes(32)
  const session = { operatorId: made.id, token, userAgent: '' }
  const { id: sessionId } = await startOperatorSession(db, session)
  const headers = bearer(await context.operatorTokens.make(sessionId))
  return { email, operatorId: made.id, sessionId, headers }
}

/** Adds an operator who can sign in by `password`. */
export async function addOperatorWithPassword(gateway: Gateway, role: OperatorRole) {
  return await addOperator(gateway, role, await hashPassword(password))
}

/** Sends a request to an operators' route in the name of an operator. */
export function callsAs({ server }: Gateway, headers: Record<string, string>) {
  return {
    get: async (path: string) =>
      await server.inject({ method: 'GET', url: `/api/operator${path}`, headers }),
    post: async (path: string, body: object) =>
      await server.inject({
        ...{ method: 'POST', url: `/api/operator${path}` },
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      }),
  }
}
