import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { findUser } from '../../store/db/accounts/find-user.ts'
import { forgetSignIns } from '../../store/db/accounts/forget-sign-ins.ts'
import { endSession } from '../../store/db/sessions/end-session.ts'
import { takeSignInCode } from '../../store/db/sessions/sign-in-codes.ts'
import { startSession } from '../../store/db/sessions/start-session.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import { neighbourhoodOf } from '../gateway/remote-address.ts'
import type { Server } from '../gateway/typed-server.ts'
import { OneTime, Refresh, SignIn, Tokens } from './auth-schemas.ts'
import { countAttempt } from './count-attempt.ts'
import { expectLoopback } from './loopback.ts'
import { isPassword } from './password.ts'
import { createRefreshCookie } from './refresh-cookie.ts'
import { exchangeRefreshToken, makeRefreshToken } from './refresh-tokens.ts'
import { userAgentOf } from './user-agent.ts'

/** Failures of one email from one address: guessing locks out the guesser, and not the user. */
const maxFailures = 10
/** Failures of one address, over all emails. */
const maxFailuresOfAddress = 100

const readSignIn = bodyReader(SignIn)
const readRefresh = bodyReader(Refresh)
const readOneTime = bodyReader(OneTime)

const tags = ['auth']
const problems = { 400: Problem, 401: Problem }

type Session = {
  readonly sessionId: string
  readonly refreshToken: string
  readonly byCookie: boolean
}

/**
 * POST /api/auth/sign-in, /api/auth/refresh, /api/auth/one-time and /api/auth/sign-out, for the
 * dashboard.
 */
export function authRoutes(server: Server, { db, tokens, publicUrl }: GatewayContext): void {
  const refreshCookie = createRefreshCookie(publicUrl)

  const signingIn = {
    schema: { tags, response: { 200: Tokens, ...problems, 429: Problem } },
    config: { credentials: [], body: SignIn },
  }
  server.post('/api/auth/sign-in', signingIn, async (request, reply) => {
    const { email, password, cookie: byCookie = false } = readSignIn(request.body)
    const from = neighbourhoodOf(request)
    const own = sha256Bytes(`email ${email.toLowerCase()} from ${from}`)
    const address = sha256Bytes(`address ${from}`)
    await countAttempt(db, own, maxFailures)
    await countAttempt(db, address, maxFailuresOfAddress)
    const user = await findUser(db, email)
    const isTheirs = await isPassword(password, user?.password)
    if (!user || !isTheirs) {
      const message = 'The email and the password must match a user. Got a pair that does not'
      throw new FarmError('unauthorized', message)
    }
    await forgetSignIns(db, { own, address })
    const { id: userId, accountId } = user
    const session = await sessionOf({ userId, accountId, userAgent: userAgentOf(request) })
    return await answer(reply, { ...session, byCookie })
  })

  const oneTime = {
    schema: { tags, response: { 200: Tokens, ...problems, 403: Problem } },
    config: { credentials: [], body: OneTime },
  }
  server.post('/api/auth/one-time', oneTime, async (request, reply) => {
    const { code } = readOneTime(request.body)
    expectLoopback(request, publicUrl)
    const user = await takeSignInCode(db, sha256Bytes(code))
    if (!user) {
      const message = 'The code must be unused and at most 10 minutes old. Got one that is not'
      throw new FarmError('unauthorized', message)
    }
    const session = await sessionOf({ ...user, userAgent: userAgentOf(request) })
    return await answer(reply, { ...session, byCookie: true })
  })

  const refreshing = {
    schema: { tags, response: { 200: Tokens, ...problems, 403: Problem } },
    config: { credentials: [], body: Refresh },
  }
  server.post('/api/auth/refresh', refreshing, async (request, reply) => {
    const { refreshToken, cookie: byCookie = false } = readRefresh(request.body)
    if (byCookie) refreshCookie.expectOwnPage(request)
    const given = refreshToken ?? refreshCookie.read(request)
    const userAgent = userAgentOf(request)
    const session = given && (await exchangeRefreshToken(db, { given, userAgent }))
    if (session) return await answer(reply, { ...session, byCookie })
    const where = byCookie
      ? `The refresh token in the cookie ${refreshCookie.name}`
      : 'The refresh token'
    throw new FarmError('unauthorized', `${where} must be valid and unused. Got none that is`)
  })

  const signingOut = {
    schema: { tags, response: { 200: Type.Object({ signedOut: Type.Literal(true) }) } },
    config: { credentials: ['session'] },
  } as const
  server.post('/api/auth/sign-out', signingOut, async (request, reply) => {
    const { credential } = request.account
    if (credential.kind === 'session') {
      await endSession(request.db, {
        sessionId: credential.sessionId,
        reason: 'signed out',
        isSignOut: true,
      })
    }
    refreshCookie.clear(reply)
    return { signedOut: true as const }
  })

  async function sessionOf(user: { userId: string; accountId: string; userAgent: string }) {
    const { refreshToken, hash } = makeRefreshToken()
    const { id: sessionId } = await startSession(db, { ...user, token: hash })
    return { sessionId, refreshToken }
  }

  async function answer(reply: FastifyReply, { sessionId, refreshToken, byCookie }: Session) {
    const accessToken = await tokens.make(sessionId)
    const pair = { accessToken, tokenType: 'Bearer' as const, expiresIn: tokens.lifeSeconds }
    if (!byCookie) return { ...pair, refreshToken }
    refreshCookie.set(reply, refreshToken)
    return pair
  }
}
