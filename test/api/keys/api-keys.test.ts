import test from 'ava'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { call } from '../accounts.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const keysPath = '/api/api-keys'

type Made = { readonly key: string; readonly apiKey: { readonly id: string } }

async function makeKey(by: string, body: Record<string, unknown>) {
  return await call(gateway, 'POST', keysPath, { body, headers: { 'x-api-key': by } })
}

/** A key made by a customer's first one. */
async function keyOf(by: string, body: Record<string, unknown>) {
  const reply = await makeKey(by, { name: 'made', ...body })
  if (reply.statusCode !== 201) throw new Error(reply.body)
  const { key, apiKey } = reply.json() as Made
  const headers = { 'x-api-key': key }
  return {
    key,
    id: apiKey.id,
    submit: async () => await call(gateway, 'POST', renderPath, { body: requestOf(), headers }),
    get: async (path: string) => await call(gateway, 'GET', path, { headers }),
  }
}

test('a key is shown once, listed without secret, renamed, gone once revoked', async (t) => {
  const { key, get, accountId } = await gateway.customer()
  const reply = await makeKey(key, { name: 'the importer' })
  t.is(reply.statusCode, 201)
  const made = reply.json() as Made
  t.regex(made.key, /^svc_[0-9a-f]{64}$/)
  const { apiKeys } = (await get(keysPath)).json()
  t.is(apiKeys.length, 2)
  t.deepEqual(apiKeys[0], made.apiKey)
  t.like(apiKeys[0], { name: 'the importer', scopes: null, expiresAt: null, spendingCap: null })
  t.false(JSON.stringify(apiKeys).includes(made.key))
  const stored = await gateway.db
    .selectFrom('api_keys')
    .select(['sha256', 'prefix'])
    .where('account_id', '=', accountId)
    .execute()
  t.true(stored.every(({ sha256 }) => sha256.length === 32))
  const path = `${keysPath}/${made.apiKey.id}`
  const headers = { 'x-api-key': key }
  const renamed = await call(gateway, 'PUT', path, { headers, body: { name: 'old importer' } })
  t.is(renamed.json().name, 'old importer')
  t.deepEqual((await call(gateway, 'DELETE', path, { headers })).json(), { deleted: true })
  t.is((await call(gateway, 'DELETE', path, { headers })).statusCode, 404)
  t.is((await get(keysPath)).json().apiKeys.length, 1)
})

test('a revoked key is unknown to the next request, at every replica', async (t) => {
  const { key } = await gateway.customer()
  const made = await keyOf(key, {})
  const { server: replica, stop } = await gateway.startReplica()
  t.teardown(stop)
  const ask = async () =>
    await replica.inject({ url: '/api/jobs', headers: { 'x-api-key': made.key } })
  t.is((await ask()).statusCode, 200)
  await call(gateway, 'DELETE', `${keysPath}/${made.id}`, { headers: { 'x-api-key': key } })
  t.is((await ask()).statusCode, 401)
})

test('an expired key is answered like an unknown one', async (t) => {
  const { key } = await gateway.customer()
  const made = await keyOf(key, { expiresAt: new Date(Date.now() + 60_000).toISOString() })
  t.is((await made.get('/api/jobs')).statusCode, 200)
  await gateway.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('id', '=', made.id)
    .execute()
  const expired = await made.get('/api/jobs')
  const unknown = await call(gateway, 'GET', '/api/jobs', {
    headers: { 'x-api-key': `svc_${'0'.repeat(64)}` },
  })
  t.is(expired.statusCode, 401)
  t.deepEqual(expired.json(), unknown.json())
})

test('a key is limited to its scopes and learns the missing one', async (t) => {
  const { key } = await gateway.customer()
  const reader = await keyOf(key, { scopes: ['jobs'] })
  t.is((await reader.get('/api/jobs')).statusCode, 200)
  const refused = await reader.submit()
  t.is(refused.statusCode, 403)
  t.like(refused.json(), {
    code: 'forbidden',
    message: "The key's scopes must include render. Got jobs",
  })
})

test('a key makes no key that may do, last or spend more', async (t) => {
  const { key, accountId } = await gateway.customer()
  await setPlan(gateway.db, { accountId, plan: 'pro' })
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const later = new Date(Date.now() + 7_200_000).toISOString()
  const scoped = await keyOf(key, { scopes: ['keys', 'jobs'] })
  const mortal = await keyOf(key, { expiresAt })
  const capped = await keyOf(key, { spendingCap: 5 })
  const attempts: [string, Record<string, unknown>, number][] = [
    [scoped.key, {}, 403],
    [scoped.key, { scopes: ['render'] }, 403],
    [scoped.key, { scopes: ['jobs'] }, 201],
    [mortal.key, {}, 403],
    [mortal.key, { expiresAt: later }, 403],
    [mortal.key, { expiresAt }, 201],
    [capped.key, { spendingCap: 1 }, 403],
  ]
  for (const [by, body, status] of attempts) {
    const reply = await makeKey(by, { name: 'child', ...body })
    t.is(reply.statusCode, status, JSON.stringify(body))
  }
})

test('every fault of a new key is named', async (t) => {
  const { key } = await gateway.customer()
  const body = { name: 'a\u0000', scopes: ['root'], expiresAt: 'soon', spendingCap: -1, owner: 1 }
  const reply = await makeKey(key, body)
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual(
    [...new Set(fields.sort())],
    ['expiresAt', 'name', 'owner', 'scopes[0]', 'spendingCap'],
  )
  const past = await makeKey(key, { name: 'late', expiresAt: '2020-01-01T00:00:00Z' })
  t.deepEqual([past.statusCode, past.json().code], [422, 'invalid_value'])
  t.regex(past.json().message, /in the future\. Got 2020/)
  const never = await makeKey(key, { name: 'odd', expiresAt: '2999-02-31T00:00:00Z' })
  t.is(never.statusCode, 400)
  t.regex(never.json().message, /must be a valid time.* Got "2999-02-31/)
})

test('an account has at most its plan’s live keys, even in parallel', async (t) => {
  const { key } = await gateway.customer()
  const replies = await Promise.all(
    Array.from({ length: 9 }, (_, i) => makeKey(key, { name: `key ${i}` })),
  )
  const made = replies.filter(({ statusCode }) => statusCode === 201)
  t.is(made.length, 4)
  const refused = replies.find(({ statusCode }) => statusCode === 422)
  t.like(refused?.json(), { code: 'plan_limit', planLimits: { apiKeys: 5 } })
})

test('a key spends at most its cap, also in parallel submissions', async (t) => {
  const { key, accountId, get } = await gateway.customer(1000)
  const capped = await keyOf(key, { spendingCap: 7 })
  const replies = await Promise.all(Array.from({ length: 12 }, capped.submit))
  const accepted = replies.filter(({ statusCode }) => statusCode === 202)
  t.is(accepted.length, 3)
  const refused = replies.find(({ statusCode }) => statusCode === 402)
  t.like(refused?.json(), { creditsRequired: 2, creditsAvailable: 1 })
  t.regex(refused?.json().message, /fit its spending cap of 7 credits\. Got 2, but 1 is left/)
  t.is((await get('/api/credits/balance')).json().reserved, 6)

  const [first, second] = accepted.map((reply) => reply.json().jobId as string)
  const error = { code: 'internal', message: 'x', details: [] } as const
  const failed = { to: 'failed', error } as const
  const settle = async (jobId = '', settlement: Parameters<typeof settleJob>[1]['settlement']) =>
    await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  await settle(first, failed)
  await settle(second, { to: 'cancelled', charge: 1 })
  const spent = async () =>
    (await get(keysPath)).json().apiKeys.find(({ id }: { id: string }) => id === capped.id)
  t.like(await spent(), { spendingCap: 7, creditsSpent: 3 })
  t.is((await capped.submit()).statusCode, 202)
})

test('a key under its cap still cannot exceed the account’s balance', async (t) => {
  const { key, get } = await gateway.customer(3)
  const capped = await keyOf(key, { spendingCap: 100 })
  t.is((await capped.submit()).statusCode, 202)
  const refused = await capped.submit()
  t.is(refused.statusCode, 402)
  t.like(refused.json(), { creditsRequired: 2, creditsAvailable: 1 })
  const [shown] = (await get(keysPath)).json().apiKeys
  t.is(shown.creditsSpent, 2)
})

test('jobs of a key’s last hour are counted, older ones are not', async (t) => {
  const { key, get } = await gateway.customer()
  const made = await keyOf(key, {})
  for (let i = 0; i < 4; i += 1) await made.submit()
  const ids = (await get('/api/jobs')).json().jobs.map(({ id }: { id: string }) => id)
  const change = (id: string, values: object) =>
    gateway.db.updateTable('jobs').set(values).where('id', '=', id).execute()
  await change(ids[0], { name: 'poster' })
  await change(ids[1], { created_at: new Date(Date.now() - 3_700_000) })
  const { lastHour } = (await get(`${keysPath}/${made.id}/stats`)).json()
  t.is(lastHour.jobs, 3)
  t.is(lastHour.names.length, 2)
  t.true(lastHour.names.includes('poster'))
})

test('keys are listed with their requests by day when asked', async (t) => {
  const { key, get } = await gateway.customer()
  const made = await keyOf(key, {})
  const unused = await keyOf(key, {})
  await made.get('/api/jobs')
  await made.get('/api/jobs')
  await gateway.context.keyUsage.stop()
  const { apiKeys } = (await get(`${keysPath}?usageDays=30`)).json()
  const usageOf = (id: string) => apiKeys.find((each: { id: string }) => each.id === id).usage
  const date = new Date().toISOString().slice(0, 10)
  t.deepEqual(usageOf(made.id), [{ date, requests: 2 }])
  t.deepEqual(usageOf(unused.id), [])
  t.false('usage' in (await get(keysPath)).json().apiKeys[0])
  t.is((await get(`${keysPath}?usageDays=91`)).statusCode, 400)
})

test('a key’s use is listed by day: requests, jobs and credits', async (t) => {
  const { key, get, accountId } = await gateway.customer()
  const made = await keyOf(key, {})
  const { jobId } = (await made.submit()).json()
  await made.get('/api/jobs')
  const result = { duration: 2, size: 1, width: film.width, height: film.height }
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  const settlement = {
    to: 'completed',
    result,
    outputKey: 'x',
    thumbnailKey: null,
    links: { url: 'https://example.com/x', thumbnailUrl: null },
  } as const
  await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  await gateway.context.keyUsage.stop()
  const stats = (await get(`${keysPath}/${made.id}/stats?days=2`)).json()
  t.like(stats, { id: made.id, requests: 2, jobs: 1, credits: 2 })
  t.deepEqual(stats.days, [
    { date: new Date().toISOString().slice(0, 10), requests: 2, jobs: 1, credits: 2 },
  ])
  t.deepEqual(stats.lastHour, { jobs: 1, names: ['unnamed'] })
  t.is((await get(`${keysPath}/${made.id}/stats?days=0`)).statusCode, 400)
  const [shown] = (await get(keysPath)).json().apiKeys
  t.true(Date.now() - Date.parse(shown.lastUsedAt) < 60_000)
})

test('keys shown at the same moment each open their own account', async (t) => {
  const credits = Array.from({ length: 10 }, (_, i) => 100 + i)
  const customers = await Promise.all(credits.map((each) => gateway.customer(each)))
  const asked = customers.flatMap(({ get }) => [1, 2, 3].map(() => get('/api/credits/balance')))
  const seen = (await Promise.all(asked)).map((reply) => reply.json().balance)
  t.deepEqual(
    seen,
    credits.flatMap((each) => [each, each, each]),
  )
})

test('an expiry must be a future time on a real day', async (t) => {
  const document = (await gateway.server.inject('/openapi.json')).json()
  const { schema } = document.paths['/api/api-keys'].post.requestBody.content['application/json']
  const [{ pattern }] = schema.properties.expiresAt.anyOf
  const { key } = await gateway.customer()
  for (const [expiresAt, status] of [
    ...['2099-02-29T00:00:00Z', '2100-02-29T00:00:00Z', '2099-04-31T00:00:00Z'].map(shapeless),
    ...['2099-13-01T00:00:00Z', '2099-00-10T00:00:00Z', '2099-01-00T00:00:00Z'].map(shapeless),
    ...['2099-01-32T00:00:00Z', '2099-01-01T24:00:00Z', '2099-01-01T00:60:00Z'].map(shapeless),
    ...['0000-01-01T00:00:00Z', '2099-01-01T00:00:00+24:00', '2099-01-01'].map(shapeless),
    ...['2099-01-01T00:00:60Z', '٢٠٩٩-01-01T00:00:00Z', '2099-01-01T00:00:00Z\n'].map(shapeless),
    ['0004-02-29T00:00:00Z', 422],
    ['2020-01-31T00:00:00Z', 422],
    ['9999-12-31T23:59:59-23:00', 422],
    ['2096-02-29T23:59Z', 201],
    ['2400-02-29T00:00:00.5+14:00', 201],
  ] as const) {
    const reply = await makeKey(key, { name: 'a', expiresAt })
    t.is(reply.statusCode, status, expiresAt)
    t.is(new RegExp(pattern, 'u').test(expiresAt), status !== 400, expiresAt)
  }
})

function shapeless(expiresAt: string) {
  return [expiresAt, 400] as const
}
