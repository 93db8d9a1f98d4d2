import { randomBytes } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { sha256Bytes } from '../../../runtime/sha256.ts'
import { changeOperator } from '../../../store/db/operators/change-operator.ts'
import { addOperatorCode } from '../../../store/db/operators/operator-sign-in-codes.ts'
import { bearer, call, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, addOperatorWithPassword, callsAs, password } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on', publicUrl: 'http://127.0.0.1:8080' })
test.after.always(() => gateway.stop())

const auth = '/api/operator/auth'
const post = async (path: string, body: object, headers = {}) =>
  await call(gateway, 'POST', `${auth}${path}`, { body, headers })
const signInAs = async (email: string) => await post('/sign-in', { email, password })
const whoIs = async (token: string) =>
  await call(gateway, 'GET', `${auth}/me`, { headers: bearer(token) })

test('an operator signs in, is known by the token, and signs out', async (t) => {
  const { email } = await addOperatorWithPassword(gateway, 'viewer')
  const { accessToken } = (await signInAs(email.toUpperCase())).json()
  t.like((await whoIs(accessToken)).json(), { email, role: 'viewer' })
  await post('/sign-out', {}, bearer(accessToken))
  t.is((await whoIs(accessToken)).statusCode, 401)
})

test('a user’s password and token are none of an operator', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  t.is((await signInAs(email)).statusCode, 401)
  t.is((await whoIs(accessToken)).statusCode, 403)
})

test('ten wrong passwords block an operator’s email at that address', async (t) => {
  const { email } = await addOperatorWithPassword(gateway, 'viewer')
  const guess = async () => (await post('/sign-in', { email, password: 'wrong' })).statusCode
  for (let at = 0; at < 10; at += 1) t.is(await guess(), 401)
  t.is(await guess(), 429)
  t.is((await signInAs(email)).statusCode, 429)
})

test('a refresh cookie has a name and path of its own', async (t) => {
  const { email } = await addOperatorWithPassword(gateway, 'viewer')
  const reply = await post('/sign-in', { email, password, cookie: true })
  t.false('refreshToken' in reply.json())
  const cookie = String(reply.headers['set-cookie'])
  t.regex(cookie, /^farm_operator_refresh_8080=rft_\w+; .*Path=\/api\/operator\/auth; HttpOnly/)
  const [pair = ''] = cookie.split(';')
  const page = { cookie: pair, 'sec-fetch-site': 'same-origin' }
  const again = await post('/refresh', { cookie: true }, page)
  t.is((await whoIs(again.json().accessToken)).statusCode, 200)
  t.is((await post('/refresh', { cookie: true }, { cookie: pair })).statusCode, 403)
  // The users' route knows no token of an operator.
  const [, refreshToken] = pair.split('=')
  const body = { refreshToken }
  t.is((await call(gateway, 'POST', '/api/auth/refresh', { body })).statusCode, 401)
})

test('a refresh token used again later ends the operator’s session', async (t) => {
  const { email } = await addOperatorWithPassword(gateway, 'viewer')
  const { refreshToken } = (await signInAs(email)).json()
  const next = (await post('/refresh', { refreshToken })).json()
  await sql`update operator_refresh_tokens set used_at = now() - interval '1 minute'
    where used_at is not null`.execute(gateway.db)
  t.is((await post('/refresh', { refreshToken })).statusCode, 401)
  t.is((await post('/refresh', { refreshToken: next.refreshToken })).statusCode, 401)
  t.is((await whoIs(next.accessToken)).statusCode, 401)
})

test('a disabled operator is out at once and cannot sign in', async (t) => {
  const { email, operatorId } = await addOperatorWithPassword(gateway, 'admin')
  const { accessToken, refreshToken } = (await signInAs(email)).json()
  await changeOperator(gateway.db, { operatorId, isDisabled: true })
  t.is((await whoIs(accessToken)).statusCode, 401)
  t.is((await post('/refresh', { refreshToken })).statusCode, 401)
  t.is((await signInAs(email)).statusCode, 401)
})

test('acts of an admin need the password again after ten minutes', async (t) => {
  const { email, sessionId, headers } = await addOperatorWithPassword(gateway, 'admin')
  const { accountId } = await gateway.customer()
  const admin = callsAs(gateway, headers)
  const suspend = async () =>
    await admin.post(`/accounts/${accountId}/suspend`, { why: 'a test of this' })
  await sql`update operator_sessions set confirmed_at = now() - interval '601 seconds'
    where id = ${sessionId}`.execute(gateway.db)
  const refused = await suspend()
  t.is(refused.statusCode, 403, email)
  t.is(refused.json().details[0].field, 'password')
  t.is((await admin.get('/accounts')).statusCode, 200)
  t.is((await admin.post('/auth/confirm', { password: 'another' })).statusCode, 422)
  t.is((await suspend()).statusCode, 403)
  t.is((await admin.post('/auth/confirm', { password })).statusCode, 200)
  t.is((await suspend()).statusCode, 200)
})

test('an operator’s code signs in once, while the operator may', async (t) => {
  const { operatorId } = await addOperator(gateway, 'admin')
  const add = async () => {
    const code = randomBytes(16).toString('hex')
    await addOperatorCode(gateway.db, { code: sha256Bytes(code), operatorId })
    return code
  }
  const code = await add()
  const { accessToken } = (await post('/one-time', { code })).json()
  t.is((await whoIs(accessToken)).statusCode, 200)
  t.is((await post('/one-time', { code })).statusCode, 401)
  const other = await add()
  await sql`update operators set disabled_at = now() where id = ${operatorId}`.execute(gateway.db)
  t.is((await post('/one-time', { code: other })).statusCode, 401)
})
