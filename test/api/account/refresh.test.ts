import { randomBytes } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { sha256Bytes } from '../../../runtime/sha256.ts'
import { addSignInCode } from '../../../store/db/sessions/sign-in-codes.ts'
import { bearer, call, password, signIn, type Tokens } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const profileOf = async (accessToken: string) =>
  (await call(gateway, 'GET', '/api/user/profile', { headers: bearer(accessToken) })).statusCode
const refresh = async (refreshToken: string, headers: Record<string, string> = {}) =>
  await call(gateway, 'POST', '/api/auth/refresh', { body: { refreshToken }, headers })

/** Makes a token's use older than the moment in which it may be repeated. */
async function age(refreshToken: string): Promise<void> {
  await sql`update refresh_tokens set used_at = used_at - interval '11 s'
    where sha256 = ${sha256Bytes(refreshToken)}`.execute(gateway.db)
}

test('parallel refreshes with one token get one successor, and it works', async (t) => {
  const { accountId } = await gateway.customer()
  const first = await signIn(gateway, accountId)
  const replies = await Promise.all(Array.from({ length: 5 }, () => refresh(first.refreshToken)))
  t.true(replies.every(({ statusCode }) => statusCode === 200))
  const successors = new Set(replies.map((reply) => (reply.json() as Tokens).refreshToken))
  t.is(successors.size, 1)
  const [successor = ''] = successors
  t.not(successor, first.refreshToken)
  const next = await refresh(successor)
  t.is(next.statusCode, 200)
  t.is(await profileOf((next.json() as Tokens).accessToken), 200)
})

test('a lost answer is given again, even after its token’s use', async (t) => {
  const { accountId } = await gateway.customer()
  const { refreshToken: first } = await signIn(gateway, accountId)
  const second = ((await refresh(first)).json() as Tokens).refreshToken
  t.is(((await refresh(first)).json() as Tokens).refreshToken, second)
  const third = ((await refresh(second)).json() as Tokens).refreshToken
  t.is(((await refresh(first)).json() as Tokens).refreshToken, third)
  t.is((await refresh(third)).statusCode, 200)
})

test('a token used again later ends the session for both', async (t) => {
  const { accountId } = await gateway.customer()
  const first = await signIn(gateway, accountId)
  const { accessToken, refreshToken } = (await refresh(first.refreshToken)).json() as Tokens
  t.is(await profileOf(accessToken), 200)
  await age(first.refreshToken)
  t.is((await refresh(first.refreshToken)).statusCode, 401)
  t.is((await refresh(refreshToken)).statusCode, 401)
  t.is(await profileOf(accessToken), 401)
  t.is((await refresh('rft_unknown')).statusCode, 401)
})

test('another user agent’s use of a token ends the session at once', async (t) => {
  const { accountId } = await gateway.customer()
  const first = await signIn(gateway, accountId)
  const own = await refresh(first.refreshToken, { 'user-agent': 'one' })
  t.is((await refresh(first.refreshToken, { 'user-agent': 'another' })).statusCode, 401)
  t.is(await profileOf((own.json() as Tokens).accessToken), 401)
})

const origin = 'https://farm.example.com'
const ownPage = { 'sec-fetch-site': 'same-origin' }

const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  [reply.headers['set-cookie'] ?? []].flat().map(String)[0] ?? ''
const pairOf = (reply: { headers: Record<string, unknown> }) => cookieOf(reply).split(';')[0] ?? ''

async function signInByCookie(
  of: Pick<Gateway, 'server'>,
): Promise<{ cookie: string; line: string; body: Record<string, unknown>; email: string }> {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const body = { email, password, cookie: true }
  const reply = await call(of as Gateway, 'POST', '/api/auth/sign-in', { body })
  return { cookie: pairOf(reply), line: cookieOf(reply), body: reply.json(), email }
}

async function refreshByCookie(cookie: string, headers: Record<string, string>, of = gateway) {
  return await call(of, 'POST', '/api/auth/refresh', {
    body: { cookie: true },
    headers: { ...(cookie !== '' && { cookie }), ...headers },
  })
}

test('a sign-in by cookie answers no refresh token, and the cookie refreshes', async (t) => {
  const { cookie, line, body } = await signInByCookie(gateway)
  t.deepEqual(Object.keys(body).sort(), ['accessToken', 'expiresIn', 'tokenType'])
  t.regex(cookie, /^__Secure-farm_refresh=rft_[0-9a-f]{64}$/)
  t.deepEqual(line.split('; ').slice(1).sort(), [
    'HttpOnly',
    'Max-Age=2592000',
    'Path=/api/auth',
    'SameSite=Strict',
    'Secure',
  ])
  const next = await refreshByCookie(`other=1; ${cookie}`, ownPage)
  t.is(next.statusCode, 200)
  t.is(next.json().refreshToken, undefined)
  t.is(await profileOf(next.json().accessToken), 200)
  t.not(pairOf(next), cookie)
  t.is((await refreshByCookie(pairOf(next), { origin })).statusCode, 200)
})

test('a page of another origin cannot refresh by cookie', async (t) => {
  const { cookie } = await signInByCookie(gateway)
  const strange = [
    {},
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.com' },
    { origin: 'https://farm.example.com:8443' },
    { origin: 'null' },
  ] as Record<string, string>[]
  for (const headers of strange) {
    const reply = await refreshByCookie(cookie, headers)
    t.is(reply.statusCode, 403, JSON.stringify(headers))
    t.is(reply.headers['set-cookie'], undefined)
    t.regex(reply.json().message, /must come from a page of https:\/\/farm\.example\.com\. Got /)
  }
  t.is((await refreshByCookie(cookie, ownPage)).statusCode, 200)
  t.is((await refreshByCookie('', ownPage)).statusCode, 401)
})

test('a refresh names its token once, in the body or by cookie', async (t) => {
  const { cookie } = await signInByCookie(gateway)
  const refused = async (body: object) => {
    const options = { body, headers: { cookie, ...ownPage } }
    const reply = await call(gateway, 'POST', '/api/auth/refresh', options)
    t.is(reply.statusCode, 400, JSON.stringify(body))
    return reply.json().message as string
  }
  for (const body of [{}, { refreshToken: 'rft_x', cookie: true }]) {
    t.regex(await refused(body), /refreshToken.*cookie/)
  }
  t.regex(await refused({ cookie: false }), /^cookie: .*true/)
})

test('signing out clears the cookie and ends what it refreshes', async (t) => {
  const { cookie, body } = await signInByCookie(gateway)
  const headers = bearer(String(body.accessToken))
  const reply = await call(gateway, 'POST', '/api/auth/sign-out', { headers })
  t.regex(cookieOf(reply), /^__Secure-farm_refresh=; Max-Age=0; Path=\/api\/auth;/)
  t.is((await refreshByCookie(cookie, ownPage)).statusCode, 401)
})

test('without TLS the cookie has the port’s name, without Secure', async (t) => {
  const replica = await gateway.startReplica({ publicUrl: 'http://127.0.0.1:8123' })
  t.teardown(replica.stop)
  const of = { ...gateway, server: replica.server }
  const { cookie, line } = await signInByCookie(of)
  t.regex(cookie, /^farm_refresh_8123=rft_/)
  t.false(line.includes('Secure'))
  t.is((await refreshByCookie(cookie, { origin: 'http://127.0.0.1:8123' }, of)).statusCode, 200)
  t.is((await refreshByCookie(cookie, { origin }, of)).statusCode, 403)
})

async function codeFor(accountId: string): Promise<{ code: string; userId: string }> {
  const { userId = '' } = await signIn(gateway, accountId)
  const code = randomBytes(16).toString('hex')
  await addSignInCode(gateway.db, { code: sha256Bytes(code), accountId, userId })
  return { code, userId }
}

const useCode = async (of: Pick<Gateway, 'server'>, code: string) =>
  await call(of as Gateway, 'POST', '/api/auth/one-time', { body: { code } })

test('a one-time code signs in once, by cookie', async (t) => {
  const replica = await gateway.startReplica({ publicUrl: 'http://localhost:8124' })
  t.teardown(replica.stop)
  const { accountId } = await gateway.customer()
  const { code, userId } = await codeFor(accountId)
  t.is((await useCode(replica, code.slice(1))).statusCode, 401)
  const reply = await useCode(replica, code)
  t.is(reply.statusCode, 200)
  t.is(reply.json().refreshToken, undefined)
  t.regex(cookieOf(reply), /^farm_refresh_8124=rft_/)
  const headers = bearer(reply.json().accessToken)
  const profile = await call(gateway, 'GET', '/api/user/profile', { headers })
  t.is(profile.json().user.id, userId)
  t.is((await useCode(replica, code)).statusCode, 401)
})

test('a one-time code expires, and is refused beyond loopback', async (t) => {
  const replica = await gateway.startReplica({ publicUrl: 'http://127.0.0.1:8125' })
  t.teardown(replica.stop)
  const { accountId } = await gateway.customer()
  const { code } = await codeFor(accountId)
  const elsewhere = await useCode(gateway, code)
  t.is(elsewhere.statusCode, 403)
  t.regex(
    elsewhere.json().message,
    /FARM_PUBLIC_URL is a loopback address\. Got https:\/\/farm\.ex/,
  )
  const fromAfar = await replica.server.inject({
    ...{ method: 'POST', url: '/api/auth/one-time', remoteAddress: '192.0.2.9' },
    payload: { code },
  })
  t.is(fromAfar.statusCode, 403)
  await sql`update sign_in_codes set expires_at = now() where sha256 = ${sha256Bytes(code)}`.execute(
    gateway.db,
  )
  t.is((await useCode(replica, code)).statusCode, 401)
})
