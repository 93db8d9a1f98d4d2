import { Type } from 'typebox'
import { passwordLength } from '../../core/accounts/passwords.ts'
import { FarmError } from '../../core/errors.ts'
import { text } from '../../core/project/schema/fields.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { forgetSignIns } from '../../store/db/accounts/forget-sign-ins.ts'
import { changePassword } from '../../store/db/sessions/change-password.ts'
import { endSessionsOfUser } from '../../store/db/sessions/end-sessions-of-user.ts'
import { findPassword } from '../../store/db/sessions/find-password.ts'
import { listSessions } from '../../store/db/sessions/list-sessions.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import type { Caller } from '../gateway/caller.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { IdParams, readUuid } from '../gateway/uuid.ts'
import { countAttempt } from './count-attempt.ts'
import { hashPassword, isPassword } from './password.ts'

const maxFailures = 10

const Time = Type.String({ format: 'date-time' })
const Sessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      createdAt: Time,
      lastUsedAt: Type.String({
        format: 'date-time',
        description: 'Sign-in or last refresh, at most 15 minutes before its last request',
      }),
      userAgent: Type.String(),
      isCurrent: Type.Boolean({ description: 'The session of this request' }),
    }),
  ),
})

const { min, max } = passwordLength
const Passwords = Type.Object(
  { current: text(max, 1), next: text(max, min) },
  { additionalProperties: false },
)
const readPasswords = bodyReader(Passwords)

const tags = ['auth']
const config = { credentials: ['session'] } as const

/**
 * GET and DELETE /api/auth/sessions, DELETE /api/auth/sessions/{id} and POST /api/auth/password: a user
 * sees where they are signed in, and ends it.
 */
export function sessionRoutes(server: Server, { db }: GatewayContext): void {
  const listing = { schema: { tags, response: { 200: Sessions } }, config }
  server.get('/api/auth/sessions', listing, async (request) => {
    const { accountId, userId, sessionId } = userOf(request.account)
    const sessions = await listSessions(request.db, { accountId, userId })
    return {
      sessions: sessions.map(({ createdAt, lastUsedAt, ...session }) => ({
        ...session,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt.toISOString(),
        isCurrent: session.id === sessionId,
      })),
    }
  })

  const Deleted = Type.Object({ deleted: Type.Literal(true) })
  const ending = {
    schema: { tags, params: IdParams, response: { 200: Deleted, 400: Problem, 404: Problem } },
    config,
  }
  server.delete('/api/auth/sessions/:id', ending, async (request) => {
    const { accountId, userId } = userOf(request.account)
    const only = readUuid(request.params.id)
    const ended = await endSessionsOfUser(request.db, { accountId, userId, which: { only } })
    if (ended > 0) return { deleted: true as const }
    throw new FarmError('not_found', `The user must have an open session with this id. Got ${only}`)
  })

  const Ended = Type.Object({
    ended: Type.Integer({ description: 'Sessions that ended: all but the one of this request' }),
  })
  server.delete(
    '/api/auth/sessions',
    { schema: { tags, response: { 200: Ended } }, config },
    async (request) => {
      const { accountId, userId, sessionId: butNot } = userOf(request.account)
      const which = { butNot }
      return { ended: await endSessionsOfUser(request.db, { accountId, userId, which }) }
    },
  )

  const changing = {
    schema: {
      tags,
      response: { 200: Type.Object({ changed: Type.Literal(true) }), 400: Problem, 409: Problem },
    },
    config: { ...config, body: Passwords },
  }
  server.post('/api/auth/password', changing, async (request) => {
    const { current, next } = readPasswords(request.body)
    const { userId, sessionId } = userOf(request.account)
    const own = sha256Bytes(`password of ${userId}`)
    await countAttempt(db, own, maxFailures)
    const known = await findPassword(request.db, userId)
    if (known === undefined || !(await isPassword(current, known))) {
      const message = 'current must be the password of the signed-in user. Got another one'
      throw new FarmError('invalid_value', message, { field: 'current' })
    }
    await forgetSignIns(db, { own, address: own })
    const stored = await hashPassword(next)
    if (await changePassword(request.db, { userId, sessionId, known, next: stored })) {
      return { changed: true as const }
    }
    throw new FarmError('conflict', 'The password was changed by another request; sign in again')
  })
}

function userOf({ accountId, credential }: Caller) {
  if (credential.kind !== 'session') throw new Error('Only signed-in users have sessions')
  const { userId, sessionId } = credential
  return { accountId, userId, sessionId }
}
