import test from 'ava'
import { sql } from 'kysely'
import { bearer, call, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { Browser, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())
const { db, server } = gateway

const grants = async (accountId: string) => {
  const { rows } = await sql<{ profile: string; client_name: string; redirect_host: string }>`
    select profile, client_name, redirect_host from agent_grants
    where account_id = ${accountId}`.execute(db)
  return rows
}

test('the page shows the client’s own name and the whole address', async (t) => {
  const redirectUri = 'http://localhost:54213/callback?from=farm'
  const host = await startHost(gateway, { metadata: { redirect_uris: [redirectUri] } })
  const { browser, path } = await host.begin()
  const reply = await browser.send('GET', path)
  t.is(reply.statusCode, 200, reply.body)
  t.like(reply.json(), {
    client: { name: 'Claude', uri: null, document: null },
    redirectUri,
    redirectHost: 'localhost:54213',
    isOwnComputer: true,
    scope: 'service:mcp',
    defaults: { profile: 'creator', renderCap: 120, totalCap: null, bulkCap: 25 },
  })
  t.is(reply.json().profiles.length, 4)
})

test('consent needs this browser’s cookie and the person’s token', async (t) => {
  const host = await startHost(gateway)
  const stranger = await startHost(gateway)
  const { browser, path } = await host.begin()
  const other = await stranger.begin()
  const body = { allow: true }
  const headers = bearer(host.person.accessToken)
  const send = async (from: Browser, more: Record<string, string>, at = path) =>
    (await from.send('POST', at, { body, headers: more })).statusCode
  t.is(await send(browser, {}), 401)
  t.is(await send(new Browser(server), headers), 404)
  t.is(await send(other.browser, headers), 404)
  const foreign = new Browser(server)
  const stolen = other.browser.cookieFor(other.path)
  t.is((await foreign.send('GET', path, { headers: { cookie: stolen } })).statusCode, 404)
  const unsigned = browser.cookieFor(path).replace(/farm_consent\.sig=[^;]*/, 'farm_consent.sig=x')
  t.is((await foreign.send('GET', path, { headers: { cookie: unsigned } })).statusCode, 404)
  t.is(await send(browser, { 'x-api-key': host.customer.key }), 403)
  t.deepEqual(await grants(host.customer.accountId), [])
  t.is(await send(browser, headers), 200)
})

test('a sign-in is used up, and refused allowances change nothing', async (t) => {
  const host = await startHost(gateway)
  const { browser, path } = await host.begin()
  const headers = bearer(host.person.accessToken)
  for (const wrong of [
    { allow: 'yes' },
    { allow: true, profile: 'admin' },
    { allow: true, renderCap: -1 },
    { allow: true, totalCap: 1.5 },
    { allow: true, bulkCap: 100_000 },
    { allow: true, scope: 'all' },
    {},
  ]) {
    const reply = await browser.send('POST', path, { body: wrong, headers })
    t.true([400, 422].includes(reply.statusCode), `${JSON.stringify(wrong)} ${reply.body}`)
  }
  t.deepEqual(await grants(host.customer.accountId), [])
  const allowed = await browser.send('POST', path, { body: { allow: true }, headers })
  const { pathname } = new URL(allowed.json().redirectTo)
  t.is((await browser.send('GET', pathname)).statusCode, 303)
  t.is((await browser.send('POST', path, { body: { allow: true }, headers })).statusCode, 404)
  t.is((await browser.send('GET', pathname)).statusCode, 400)
  t.is((await grants(host.customer.accountId)).length, 1)
})

test('parallel answers to one sign-in make one grant', async (t) => {
  const host = await startHost(gateway)
  const { browser, path } = await host.begin()
  const headers = bearer(host.person.accessToken)
  const answers = Array.from({ length: 4 }, () =>
    browser.send('POST', path, { body: { allow: true }, headers }),
  )
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  t.deepEqual(statuses.sort(), [200, 404, 404, 404])
  t.is((await grants(host.customer.accountId)).length, 1)
})

test('a refusal reaches the client and leaves no grant', async (t) => {
  const host = await startHost(gateway)
  const { browser, path } = await host.begin()
  const headers = bearer(host.person.accessToken)
  const refused = await browser.send('POST', path, { body: { allow: false }, headers })
  const reply = await browser.send('GET', new URL(refused.json().redirectTo).pathname)
  const { searchParams } = new URL(String(reply.headers.location))
  t.is(searchParams.get('error'), 'access_denied')
  t.is(searchParams.get('iss'), 'https://farm.example.com')
  t.is(searchParams.get('state'), 'a state')
  t.deepEqual(await grants(host.customer.accountId), [])
})

test('each authorization asks again, also in the same browser', async (t) => {
  const host = await startHost(gateway)
  const { browser } = await host.consent()
  const { asking } = await host.begin()
  const again = await browser.send('GET', host.authorizeUrl(asking))
  t.regex(String(again.headers.location), /^\/oauth\/consent\//)
  t.is([...browser.cookies.keys()].filter((name) => name.startsWith('farm_oauth')).length, 0)
})

test('the page cannot be framed, and runs only its own script file', async (t) => {
  const host = await startHost(gateway)
  const { browser, uid } = await host.begin()
  for (const url of [`/oauth/consent/${uid}`, '/oauth/consent.js', '/oauth/consent.css']) {
    const { headers, statusCode, body } = await browser.send('GET', url)
    t.is(statusCode, 200)
    const policy = String(headers['content-security-policy'])
    t.regex(policy, /default-src 'none'/)
    t.regex(policy, /script-src 'self'(;|$)/)
    t.regex(policy, /frame-ancestors 'none'/)
    t.regex(policy, /form-action 'none'/)
    t.is(headers['x-frame-options'], 'DENY')
    t.is(headers['cache-control'], 'no-store')
    t.is(headers['referrer-policy'], 'no-referrer')
    if (url.endsWith(uid)) t.notRegex(body, /<script(?![^>]*src=)|<style|\son\w+=|style=/)
  }
})

test('the eleventh wrong password at the page is refused for a while', async (t) => {
  const { accountId } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  const replies = []
  for (let i = 0; i < 11; i += 1) {
    replies.push(
      await call(gateway, 'POST', '/api/auth/sign-in', { body: { email, password: 'wrong' } }),
    )
  }
  t.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [...Array(10).fill(401), 429],
  )
})
