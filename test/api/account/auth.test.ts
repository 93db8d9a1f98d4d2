import { createHash } from 'node:crypto'
import test from 'ava'
import { SignJWT } from 'jose'
import { createDashboardTokens } from '../../../api/account/dashboard-token.ts'
import { hashPassword } from '../../../api/account/password.ts'
import { setPassword } from '../../../store/db/accounts/set-password.ts'
import { suspendAccount } from '../../../store/db/accounts/suspend-account.ts'
import { bearer, call, password, signIn, type Tokens } from '../accounts.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const profileOf = async (accessToken: string) =>
  await call(gateway, 'GET', '/api/user/profile', { headers: bearer(accessToken) })
const refresh = async (refreshToken: string) =>
  await call(gateway, 'POST', '/api/auth/refresh', { body: { refreshToken } })

test('a signed-in user reads their profile and submits without a key', async (t) => {
  const { accountId, key } = await gateway.customer(10)
  const { reply, accessToken, email, userId } = await signIn(gateway, accountId)
  t.is(reply.statusCode, 200)
  t.like(reply.json(), { tokenType: 'Bearer', expiresIn: 900 })
  const { user, credits } = (await profileOf(accessToken)).json()
  t.like(user, { id: userId, email, firstName: 'Ada', lastName: 'Lovelace', emailVerified: false })
  t.is(credits.balance, 10)
  const options = { body: requestOf(), headers: bearer(accessToken) }
  t.is((await call(gateway, 'POST', '/api/render', options)).statusCode, 202)
  t.is((await call(gateway, 'POST', renderPath, options)).statusCode, 403)
  const withKey = { body: requestOf(), headers: { 'x-api-key': key } }
  t.is((await call(gateway, 'POST', '/api/render', withKey)).statusCode, 403)
})

test('an email signs in whatever its case, and is one user’s', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const body = { email: email.toUpperCase(), password }
  t.is((await call(gateway, 'POST', '/api/auth/sign-in', { body })).statusCode, 200)
})

test('a suspended account’s keys and tokens are refused until it is resumed', async (t) => {
  const { accountId, key } = await gateway.customer(10)
  const { accessToken } = await signIn(gateway, accountId)
  const asked = async () => [
    await call(gateway, 'GET', '/api/user/profile', { headers: { 'x-api-key': key } }),
    await profileOf(accessToken),
  ]
  await suspendAccount(gateway.db, { accountId, isSuspended: true })
  for (const { statusCode, body } of await asked()) {
    t.is(statusCode, 403)
    t.regex(body, /The account must be active/)
  }
  await suspendAccount(gateway.db, { accountId, isSuspended: false })
  t.true((await asked()).every(({ statusCode }) => statusCode === 200))
})

test('a wrong password and an unknown email get the same answer', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const wrong = await call(gateway, 'POST', '/api/auth/sign-in', {
    body: { email, password: 'wrong horse battery' },
  })
  const unknown = await call(gateway, 'POST', '/api/auth/sign-in', {
    body: { email: 'nobody@example.com', password },
  })
  t.is(wrong.statusCode, 401)
  t.is(unknown.statusCode, 401)
  t.deepEqual(unknown.json(), wrong.json())
})

async function guessFrom(address: string, email: string, guessed: string) {
  return await gateway.server.inject({
    ...{ method: 'POST', url: '/api/auth/sign-in', remoteAddress: address },
    payload: { email, password: guessed },
  })
}

test.serial('ten failures block an email at that address, even the right password', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const guess = async (guessed: string) => await guessFrom('192.0.2.7', email, guessed)
  const replies = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(`wrong ${i}`)))
  const statuses = replies.map(({ statusCode }) => statusCode).sort()
  t.deepEqual(statuses, [...Array(10).fill(401), ...Array(4).fill(429)])
  const right = await guess(password)
  t.is(right.statusCode, 429)
  t.regex(right.json().message, /At most 10 sign-ins from one address/)
  const seconds = Number(right.headers['retry-after'])
  t.true(seconds > 800 && seconds <= 900)
  await gateway.db.updateTable('sign_in_failures').set({ window_ends: new Date() }).execute()
  t.is((await guess(password)).statusCode, 200)
})

test.serial('guessing locks out the guesser’s address only, not the user', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  for (const address of ['192.0.2.20', '2001:db8:0:1::20']) {
    const guess = async () => (await guessFrom(address, email, 'wrong')).statusCode
    for (let i = 0; i < 10; i += 1) t.is(await guess(), 401)
    t.is(await guess(), 429, address)
  }
  t.is((await guessFrom('2001:db8:0:1::ffff', email, password)).statusCode, 429, 'the same /64')
  t.is((await guessFrom('2001:db8:0:2::20', email, password)).statusCode, 200)
  t.is((await guessFrom('192.0.2.21', email, password)).statusCode, 200)
})

test.serial('an address that fails for many emails is blocked for all', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const from = '192.0.2.30'
  for (let i = 0; i < 5; i += 1) t.is((await guessFrom(from, email, password)).statusCode, 200)
  // All but the last ones are counted already: checking a hundred passwords takes long.
  await gateway.db
    .updateTable('sign_in_failures')
    .set({ failures: 97 })
    .where('subject', '=', createHash('sha256').update(`address ${from}`).digest())
    .execute()
  for (let i = 0; i < 3; i += 1) {
    t.is((await guessFrom(from, `nobody-${i}@example.com`, 'x')).statusCode, 401)
  }
  const late = await guessFrom(from, email, password)
  t.is(late.statusCode, 429)
  t.regex(late.json().message, /At most 100 sign-ins from one address/)
})

test('signing out ends the session and no other one', async (t) => {
  const { accountId } = await gateway.customer()
  const one = await signIn(gateway, accountId)
  const body = { email: one.email, password }
  const other = (await call(gateway, 'POST', '/api/auth/sign-in', { body })).json() as Tokens
  const options = { headers: bearer(one.accessToken) }
  const reply = await call(gateway, 'POST', '/api/auth/sign-out', options)
  t.deepEqual(reply.json(), { signedOut: true })
  t.is((await profileOf(one.accessToken)).statusCode, 401)
  t.is((await refresh(one.refreshToken)).statusCode, 401)
  t.is((await profileOf(other.accessToken)).statusCode, 200)
})

test('a new password ends every session', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  t.true(await setPassword(gateway.db, { email, password: await hashPassword('another password') }))
  t.is((await profileOf(accessToken)).statusCode, 401)
  const body = { email, password }
  t.is((await call(gateway, 'POST', '/api/auth/sign-in', { body })).statusCode, 401)
})

test('a token without signature or end, or of another secret, is refused', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken } = await signIn(gateway, accountId)
  const [, payload = ''] = accessToken.split('.')
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const endless = new SignJWT({ sub, aud: 'farm dashboard' }).setProtectedHeader({ alg: 'HS256' })
  const forged = [
    await createDashboardTokens('another secret for it').make(sub),
    `${header}.${payload}.`,
    await endless.sign(Buffer.from('a secret for the test')),
  ]
  for (const token of forged) t.is((await profileOf(token)).statusCode, 401, token)
})

test('faults of a sign-in body are named without showing the password', async (t) => {
  const body = { email: '', password: ['secret words'], remember: true }
  const reply = await call(gateway, 'POST', '/api/auth/sign-in', { body })
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual(fields.sort(), ['email', 'password', 'remember'])
  t.false(reply.body.includes('secret words'))
  const nul = { email: 'a\u0000@example.com', password }
  t.is((await call(gateway, 'POST', '/api/auth/sign-in', { body: nul })).statusCode, 400)
  const secret = { email: 'a@example.com', password: 'secret words\0' }
  const refused = await call(gateway, 'POST', '/api/auth/sign-in', { body: secret })
  t.is(refused.statusCode, 400)
  t.false(refused.body.includes('secret words'))
})
