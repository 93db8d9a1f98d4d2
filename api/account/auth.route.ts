import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { text } from '../../core/project/schema/fields.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { countSignIn } from '../../store/db/accounts/count-sign-in.ts'
import { findUser } from '../../store/db/accounts/find-user.ts'
import { forgetSignIns } from '../../store/db/accounts/forget-sign-ins.ts'
import { endSession } from '../../store/db/sessions/end-session.ts'
import { refreshSession } from '../../store/db/sessions/refresh-session.ts'
import { startSession } from '../../store/db/sessions/start-session.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem, ProblemError } from '../gateway/problem.ts'
import { neighbourhoodOf } from '../gateway/remote-address.ts'
import type { Server } from '../gateway/typed-server.ts'
import { isPassword } from './password.ts'

/** Failures of one email from one address: guessing locks out the guesser, and not the user. */
const maxFailures = 10
/** Failures of one address, over all emails. */
const maxFailuresOfAddress = 100
const refreshBytes = 32

const SignIn = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 320,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      title: 'text without control characters',
    }),
    password: text(1000, 1),
  },
  { additionalProperties: false },
)
const Refresh = Type.Object({ refreshToken: text(200, 1) }, { additionalProperties: false })
const readSignIn = bodyReader(SignIn)
const readRefresh = bodyReader(Refresh)

const Tokens = Type.Object({
  accessToken: Type.String({ description: 'JWT to send as Authorization: Bearer' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds' }),
  refreshToken: Type.String({ description: 'Token that is valid once, for the next pair' }),
})

const tags = ['auth']
const problems = { 400: Problem, 401: Problem }

/** POST /api/auth/sign-in, /api/auth/refresh and /api/auth/sign-out, for the dashboard. */
export function authRoutes(server: Server, { db, tokens }: GatewayContext): void {
  const signingIn = {
    schema: { tags, response: { 200: Tokens, ...problems, 429: Problem } },
    config: { credentials: [], body: SignIn },
  }
  server.post('/api/auth/sign-in', signingIn, async (request) => {
    const { email, password } = readSignIn(request.body)
    const from = neighbourhoodOf(request)
    const own = sha256Bytes(`email ${email.toLowerCase()} from ${from}`)
    const address = sha256Bytes(`address ${from}`)
    await countAttempt(own, maxFailures)
    await countAttempt(address, maxFailuresOfAddress)
    const user = await findUser(db, email)
    const isTheirs = await isPassword(password, user?.password)
    if (!user || !isTheirs) {
      const message = 'The email and the password must match a user. Got a pair that does not'
      throw new FarmError('unauthorized', message)
    }
    await forgetSignIns(db, { own, address })
    const { refreshToken, hash } = makeRefreshToken()
    const { id: userId, accountId } = user
    const session = await startSession(db, { userId, accountId, token: hash })
    return await pairOf(session.id, refreshToken)
  })

  const refreshing = {
    schema: { tags, response: { 200: Tokens, ...problems } },
    config: { credentials: [], body: Refresh },
  }
  server.post('/api/auth/refresh', refreshing, async (request) => {
    const given = readRefresh(request.body).refreshToken
    const { refreshToken, hash } = makeRefreshToken()
    const session = await refreshSession(db, { token: sha256Bytes(given), next: hash })
    if (session) return await pairOf(session.id, refreshToken)
    throw new FarmError(
      'unauthorized',
      'The refresh token must be valid and unused. Got one that is not',
    )
  })

  const signingOut = {
    schema: { tags, response: { 200: Type.Object({ signedOut: Type.Literal(true) }) } },
    config: { credentials: ['session'] },
  } as const
  server.post('/api/auth/sign-out', signingOut, async (request) => {
    const { credential } = request.account
    if (credential.kind === 'session') {
      await endSession(request.db, {
        sessionId: credential.sessionId,
        reason: 'signed out',
        isSignOut: true,
      })
    }
    return { signedOut: true as const }
  })

  async function countAttempt(subject: Buffer, most: number): Promise<void> {
    const { failures, secondsLeft } = await countSignIn(db, subject)
    if (failures > most) throw tooMany(most, secondsLeft)
  }

  async function pairOf(sessionId: string, refreshToken: string) {
    const accessToken = await tokens.make(sessionId)
    const expiresIn = tokens.lifeSeconds
    return { accessToken, tokenType: 'Bearer' as const, expiresIn, refreshToken }
  }
}

function makeRefreshToken(): { refreshToken: string; hash: Buffer } {
  const refreshToken = `rft_${randomBytes(refreshBytes).toString('hex')}`
  return { refreshToken, hash: sha256Bytes(refreshToken) }
}

function tooMany(most: number, seconds: number): FarmError {
  const rule = `At most ${most} sign-ins from one address may fail in 15 minutes`
  const message = `${rule}. Got more; try again in ${seconds} s`
  return new ProblemError('too_many_requests', message, { retryAfterSeconds: seconds })
}
