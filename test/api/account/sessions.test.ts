import test from 'ava'
import { createFarmClient } from '../../../client/farm-client.ts'
import { bearer, call, password, signIn, type Tokens } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Session = { id: string; userAgent: string; isCurrent: boolean; lastUsedAt: string }

const sessionsOf = async (accessToken: string): Promise<Session[]> => {
  const reply = await call(gateway, 'GET', '/api/auth/sessions', { headers: bearer(accessToken) })
  return reply.json().sessions
}

const statusOf = async (accessToken: string) =>
  (await call(gateway, 'GET', '/api/user/profile', { headers: bearer(accessToken) })).statusCode

async function signInAgain(email: string, userAgent: string): Promise<Tokens> {
  const options = { body: { email, password }, headers: { 'user-agent': userAgent } }
  return (await call(gateway, 'POST', '/api/auth/sign-in', options)).json()
}

test('a user sees their own open sessions and which one asks', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const colleague = await signIn(gateway, accountId)
  const phone = await signInAgain(email, 'phone')
  const sessions = await sessionsOf(phone.accessToken)
  t.is(sessions.length, 2)
  const [current, other] = sessions
  t.like(current, { userAgent: 'phone', isCurrent: true })
  t.like(other, { isCurrent: false })
  t.is((await sessionsOf(colleague.accessToken)).length, 1)
})

test('a refresh shows as the last use of its session', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken, refreshToken } = await signIn(gateway, accountId)
  await signInAgain(email, 'phone')
  t.is((await sessionsOf(accessToken))[0]?.userAgent, 'phone')
  await call(gateway, 'POST', '/api/auth/refresh', { body: { refreshToken } })
  t.true((await sessionsOf(accessToken))[0]?.isCurrent)
})

test('a user ends one session, and not a colleague’s or a stranger’s', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  const phone = await signInAgain(email, 'phone')
  const end = async (token: string, id = '') =>
    await call(gateway, 'DELETE', `/api/auth/sessions/${id}`, { headers: bearer(token) })
  const phoneId = (await sessionsOf(phone.accessToken)).find(({ isCurrent }) => isCurrent)?.id
  const colleague = await signIn(gateway, accountId)
  const stranger = await signIn(gateway, (await gateway.customer()).accountId)
  t.is((await end(colleague.accessToken, phoneId)).statusCode, 404)
  t.is((await end(stranger.accessToken, phoneId)).statusCode, 404)
  t.is(await statusOf(phone.accessToken), 200)
  t.deepEqual((await end(accessToken, phoneId)).json(), { deleted: true })
  t.is(await statusOf(phone.accessToken), 401)
  t.is((await end(accessToken, phoneId)).statusCode, 404)
  t.is(await statusOf(accessToken), 200)
})

test('a user ends all sessions but the current one', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  const others = [await signInAgain(email, 'phone'), await signInAgain(email, 'tablet')]
  const colleague = await signIn(gateway, accountId)
  const reply = await call(gateway, 'DELETE', '/api/auth/sessions', {
    headers: bearer(accessToken),
  })
  t.deepEqual(reply.json(), { ended: 2 })
  for (const other of others) t.is(await statusOf(other.accessToken), 401)
  t.is(await statusOf(accessToken), 200)
  t.is(await statusOf(colleague.accessToken), 200)
})

const change = async (accessToken: string, body: object) =>
  await call(gateway, 'POST', '/api/auth/password', { body, headers: bearer(accessToken) })

test('a new password ends all other sessions of its user', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  const phone = await signInAgain(email, 'phone')
  const colleague = await signIn(gateway, accountId)
  const next = 'another horse battery'
  t.deepEqual((await change(accessToken, { current: password, next })).json(), { changed: true })
  t.is(await statusOf(accessToken), 200)
  t.is(await statusOf(phone.accessToken), 401)
  t.is(await statusOf(colleague.accessToken), 200)
  const signInBy = async (tried: string) =>
    (await call(gateway, 'POST', '/api/auth/sign-in', { body: { email, password: tried } }))
      .statusCode
  t.is(await signInBy(password), 401)
  t.is(await signInBy(next), 200)
})

test('a new password needs the current one, and twelve characters', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken } = await signIn(gateway, accountId)
  const wrong = await change(accessToken, { current: 'not it', next: 'another horse battery' })
  t.is(wrong.statusCode, 422)
  t.is(wrong.json().details[0].field, 'current')
  t.false(wrong.body.includes('not it'))
  const short = await change(accessToken, { current: password, next: 'elevenchars' })
  t.is(short.json().details[0].field, 'next')
  t.false(short.body.includes('elevenchars'))
})

test('guesses at the current password are counted', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken } = await signIn(gateway, accountId)
  const guess = async (current: string) =>
    (await change(accessToken, { current, next: 'another horse battery' })).statusCode
  for (let i = 0; i < 10; i += 1) t.is(await guess(`guess ${i}`), 422)
  t.is(await guess(password), 429)
})

test('the client lists, ends and protects sessions by a user’s token', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  const others = [await signInAgain(email, 'phone'), await signInAgain(email, 'tablet')]
  const { server } = gateway
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const { sessions } = createFarmClient({ url, accessToken })
  const listed = await sessions.list()
  t.is(listed.length, 3)
  await sessions.end(listed.find(({ userAgent }) => userAgent === 'phone')?.id ?? '')
  t.is(await sessions.endOthers(), 1)
  for (const other of others) t.is(await statusOf(other.accessToken), 401)
  await sessions.changePassword({ current: password, next: 'another horse battery' })
  t.is((await sessions.list()).length, 1)
})
