import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { operatorRoles } from '../../core/operators/roles.ts'
import { text } from '../../core/project/schema/fields.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { forgetSignIns } from '../../store/db/accounts/forget-sign-ins.ts'
import { confirmOperatorSession } from '../../store/db/operators/confirm-operator-session.ts'
import { endOperatorSession } from '../../store/db/operators/end-operator-session.ts'
import { findOperator } from '../../store/db/operators/find-operator.ts'
import { takeOperatorCode } from '../../store/db/operators/operator-sign-in-codes.ts'
import { startOperatorSession } from '../../store/db/operators/start-operator-session.ts'
import { OneTime, Refresh, SignIn, Tokens } from '../account/auth-schemas.ts'
import { countAttempt } from '../account/count-attempt.ts'
import { expectLoopback } from '../account/loopback.ts'
import { isPassword } from '../account/password.ts'
import { createRefreshCookie } from '../account/refresh-cookie.ts'
import { exchangeRefreshToken, makeRefreshToken } from '../account/refresh-tokens.ts'
import { userAgentOf } from '../account/user-agent.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import { neighbourhoodOf } from '../gateway/remote-address.ts'
import type { Server } from '../gateway/typed-server.ts'

/** Failures of one email from one address, and of one address over all emails. */
const maxFailures = 10
const maxFailuresOfAddress = 100

const Confirm = Type.Object({ password: text(1000, 1) }, { additionalProperties: false })
const readSignIn = bodyReader(SignIn)
const readRefresh = bodyReader(Refresh)
const readOneTime = bodyReader(OneTime)
const readConfirm = bodyReader(Confirm)

const Me = Type.Object({
  email: Type.String(),
  role: Type.Enum([...operatorRoles]),
  confirmedSeconds: Type.Number({
    description: 'Seconds since the password was given; acts of an admin need at most 600',
  }),
  customersUrl: Type.String({ description: 'Address of the customers’ pages' }),
})

const path = '/api/operator/auth'
const open = { credentials: [] } as const
const signedIn = { credentials: ['operator'], role: 'viewer' } as const

function describe(operationId: string, summary: string, answers: object) {
  return { operationId, summary, description: summary, tags: ['auth'], response: answers }
}

type Session = {
  readonly sessionId: string
  readonly refreshToken: string
  readonly byCookie: boolean
}

/** The sign-in of operators, as that of users (account/auth.route.ts), with cookies of its own. */
export function operatorAuthRoutes(server: Server, context: GatewayContext): void {
  const { db, operatorTokens, publicUrl, customersUrl } = context
  const refreshCookie = createRefreshCookie(publicUrl, 'operator')
  const problems = { 400: Problem, 401: Problem }

  const signingIn = {
    schema: describe('operatorSignIn', 'Sign in as an operator', {
      ...{ 200: Tokens, ...problems, 429: Problem },
    }),
    config: { ...open, body: SignIn },
  }
  server.post(`${path}/sign-in`, signingIn, async (request, reply) => {
    const { email, password, cookie: byCookie = false } = readSignIn(request.body)
    const from = neighbourhoodOf(request)
    const own = sha256Bytes(`operator ${email.toLowerCase()} from ${from}`)
    const address = sha256Bytes(`operators’ address ${from}`)
    await countAttempt(db, own, maxFailures)
    await countAttempt(db, address, maxFailuresOfAddress)
    const operator = await findOperator(db, email)
    const isTheirs = await isPassword(password, operator?.password)
    if (!operator || !isTheirs) {
      const message = 'The email and the password must match an operator. Got a pair that does not'
      throw new FarmError('unauthorized', message)
    }
    await forgetSignIns(db, { own, address })
    const session = await sessionOf(operator.id, userAgentOf(request))
    return await answer(reply, { ...session, byCookie })
  })

  const oneTime = {
    schema: describe('operatorOneTime', 'Sign in by a code of farm dev, once', {
      ...{ 200: Tokens, ...problems, 403: Problem },
    }),
    config: { ...open, body: OneTime },
  }
  server.post(`${path}/one-time`, oneTime, async (request, reply) => {
    const { code } = readOneTime(request.body)
    expectLoopback(request, publicUrl)
    const operatorId = await takeOperatorCode(db, sha256Bytes(code))
    if (operatorId === undefined) {
      const message = 'The code must be unused and at most 10 minutes old. Got one that is not'
      throw new FarmError('unauthorized', message)
    }
    const session = await sessionOf(operatorId, userAgentOf(request))
    return await answer(reply, { ...session, byCookie: true })
  })

  const refreshing = {
    schema: describe('operatorRefresh', 'Exchange a refresh token for the next pair', {
      ...{ 200: Tokens, ...problems, 403: Problem },
    }),
    config: { ...open, body: Refresh },
  }
  server.post(`${path}/refresh`, refreshing, async (request, reply) => {
    const { refreshToken, cookie: byCookie = false } = readRefresh(request.body)
    if (byCookie) refreshCookie.expectOwnPage(request)
    const given = refreshToken ?? refreshCookie.read(request)
    const asked = { userAgent: userAgentOf(request), of: 'operator' } as const
    const session = given && (await exchangeRefreshToken(db, { given, ...asked }))
    if (session) return await answer(reply, { ...session, byCookie })
    const where = byCookie
      ? `The refresh token in the cookie ${refreshCookie.name}`
      : 'The refresh token'
    throw new FarmError('unauthorized', `${where} must be valid and unused. Got none that is`)
  })

  const SignedOut = Type.Object({ signedOut: Type.Literal(true) })
  const signingOut = {
    schema: describe('operatorSignOut', 'End the session of the token', { 200: SignedOut }),
    config: signedIn,
  }
  server.post(`${path}/sign-out`, signingOut, async ({ operator: { sessionId } }, reply) => {
    await endOperatorSession(db, { sessionId, reason: 'signed out' })
    refreshCookie.clear(reply)
    return { signedOut: true as const }
  })

  const asking = {
    schema: describe('operatorMe', 'Show the operator of the token', { 200: Me }),
    config: signedIn,
  }
  server.get(`${path}/me`, asking, async ({ operator }) => ({
    email: operator.email,
    role: operator.role,
    confirmedSeconds: operator.confirmedSeconds,
    customersUrl,
  }))

  const Confirmed = Type.Object({ confirmed: Type.Literal(true) })
  const confirming = {
    schema: describe('operatorConfirm', 'Give the password again, before acts of an admin', {
      ...{ 200: Confirmed, 400: Problem },
    }),
    config: { ...signedIn, body: Confirm },
  }
  server.post(`${path}/confirm`, confirming, async (request) => {
    const { password } = readConfirm(request.body)
    const { email, operatorId, sessionId } = request.operator
    const own = sha256Bytes(`password of operator ${operatorId}`)
    await countAttempt(db, own, maxFailures)
    const operator = await findOperator(db, email)
    if (!operator || !(await isPassword(password, operator.password))) {
      const message = 'password must be that of the signed-in operator. Got another one'
      throw new FarmError('invalid_value', message, { field: 'password' })
    }
    await forgetSignIns(db, { own, address: own })
    await confirmOperatorSession(db, sessionId)
    return { confirmed: true as const }
  })

  async function sessionOf(operatorId: string, userAgent: string) {
    const { refreshToken, hash } = makeRefreshToken()
    const session = { operatorId, userAgent, token: hash }
    const { id: sessionId } = await startOperatorSession(db, session)
    return { sessionId, refreshToken }
  }

  async function answer(reply: FastifyReply, { sessionId, refreshToken, byCookie }: Session) {
    const accessToken = await operatorTokens.make(sessionId)
    const expiresIn = operatorTokens.lifeSeconds
    const pair = { accessToken, tokenType: 'Bearer' as const, expiresIn }
    if (!byCookie) return { ...pair, refreshToken }
    refreshCookie.set(reply, refreshToken)
    return pair
  }
}
