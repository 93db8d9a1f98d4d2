import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { brokenRecord } from '../../../api/access-log/access-log.ts'
import { keepAccessRecords } from '../../../api/access-log/access-records.ts'
import { makeGrant } from '../../../api/gateway/grants.ts'
import { createApiMetrics } from '../../../api/metrics.ts'
import { insertAccess } from '../../../store/db/access/insert-access.ts'
import { openDatabase } from '../../../store/db/database.ts'
import { silent } from '../../store/database.ts'
import { bearer, signIn } from '../accounts.ts'
import { renderPath, requestOf, startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({
  ...{ operatorApi: 'on', accessDays: 14, trustedProxies: ['10.0.0.0/8'] },
})
const { server } = gateway
const operator = await addOperator(gateway, 'operator')
const { get } = callsAs(gateway, operator.headers)
test.after.always(() => gateway.stop())

type Found = Readonly<Record<string, unknown>> & { readonly requestId: string }

/** Searches until there are so many: records are written beside the requests. */
async function search(query: Readonly<Record<string, string>>, least: number): Promise<Found[]> {
  for (;;) {
    const reply = await get(`/access?${new URLSearchParams(query)}`)
    const { requests } = reply.json<{ requests: Found[] }>()
    if (requests.length >= least) return requests
    await sleep(50)
  }
}

/** Time of a search that no test reaches. */
const minutesMs = 600_000

/** Locks a table, so that every read of it waits until the lock is released. */
async function lock(table: 'access_log' | 'operator_sessions') {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: hold } = Promise.withResolvers<void>()
  const holding = gateway.db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx)
    hold()
    await released
  })
  await locked
  return {
    async release() {
      release()
      await holding
    },
  }
}

const idOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  String(headers['x-request-id'])

test('a request is found by the id in its answer', async (t) => {
  const { key, accountId } = await gateway.customer()
  const reply = await server.inject({
    ...{ method: 'POST', url: renderPath, headers: { 'x-api-key': key }, payload: requestOf() },
    remoteAddress: '203.0.113.9',
  })
  const [found, ...more] = await search({ request: idOf(reply) }, 1)
  t.deepEqual(more, [])
  t.like(found, {
    ...{ method: 'POST', path: renderPath, status: 202, address: '203.0.113.9' },
    ...{ accountId, account: 'Test', key: key.slice(0, 12), made: reply.json().jobId },
    ...{ user: null, agent: null, operator: null },
  })
  t.true(Date.now() - Date.parse(String(found?.at)) < 60_000)
  t.true(Number(found?.ms) > 0)
})

test('a person is named by their email, an operator by theirs', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken, email } = await signIn(gateway, accountId)
  const own = await server.inject({ url: '/api/user/profile', headers: bearer(accessToken) })
  t.like((await search({ request: idOf(own) }, 1))[0], { accountId, user: email, key: null })
  const looked = await get(`/accounts/${accountId}`)
  t.like((await search({ request: idOf(looked) }, 1))[0], {
    ...{ path: `/api/operator/accounts/${accountId}`, operator: operator.email, accountId: null },
  })
})

test('requests are found by account, key, path, status and address', async (t) => {
  const { key, accountId } = await gateway.customer()
  const jobId = randomUUID()
  const ask = async (url: string, remoteAddress: string, forwarded?: string) => {
    const headers = { 'x-api-key': key, ...(forwarded && { 'x-forwarded-for': forwarded }) }
    return idOf(await server.inject({ url, headers, remoteAddress }))
  }
  const jobs = await ask('/api/jobs', '198.51.100.1')
  const missing = await ask(`/api/jobs/${jobId}`, '198.51.100.2')
  const proxied = await ask('/api/jobs', '10.0.0.1', '2001:db8:7::1')
  const idsOf = async (query: Readonly<Record<string, string>>, least = 1) =>
    (await search({ account: accountId, ...query }, least)).map(({ requestId }) => requestId)
  t.deepEqual(await idsOf({}, 3), [proxied, missing, jobs])
  t.deepEqual(await idsOf({ key: key.slice(0, 12) }), [proxied, missing, jobs])
  t.deepEqual(await idsOf({ key: key.slice(0, 8) }), [proxied, missing, jobs])
  t.deepEqual(await idsOf({ path: jobId.toUpperCase() }), [missing])
  t.deepEqual(await idsOf({ status: '404' }), [missing])
  t.deepEqual(await idsOf({ status: '4xx' }), [missing])
  t.deepEqual(await idsOf({ status: '2xx' }), [proxied, jobs])
  t.deepEqual(await idsOf({ address: '198.51.100.2' }), [missing])
  t.deepEqual(await idsOf({ address: '198.51.100.0/24' }), [missing, jobs])
  t.deepEqual(await idsOf({ address: '2001:DB8:7::/48' }), [proxied])
  t.deepEqual(await idsOf({ method: 'POST' }, 0), [])
  t.deepEqual(await idsOf({ until: '2020-01-01T00:00:00Z' }, 0), [])
  for (const [name, wrong] of [
    ...(['nowhere', '10.0.0.0/99'] as const).map((text) => ['address', text] as const),
    ...[['status', '600'] as const, ['key', 'abc'] as const, ['before', '7'] as const],
  ]) {
    const refused = await get(`/access?${new URLSearchParams({ [name]: wrong })}`)
    t.is(refused.statusCode, 400, wrong)
    t.is(refused.json().details[0].field, name)
  }
})

test('a refused key is found by its beginning', async (t) => {
  const key = `svc_${randomUUID().replaceAll('-', '').repeat(2)}`
  const reply = await server.inject({ url: '/api/jobs', headers: { 'x-api-key': key } })
  t.is(reply.statusCode, 401)
  const [found, ...more] = await search({ key: key.slice(0, 12), status: '401' }, 1)
  t.deepEqual(more, [])
  t.like(found, { requestId: idOf(reply), account: null, key: key.slice(0, 12) })
})

test('pages go on after the last request of the one before', async (t) => {
  const { key, accountId } = await gateway.customer()
  const asked: string[] = []
  const headers = { 'x-api-key': key }
  for (let at = 0; at < 5; at += 1) {
    asked.unshift(idOf(await server.inject({ url: '/api/jobs', headers })))
  }
  await search({ account: accountId }, 5)
  const found: string[] = []
  let before = ''
  for (;;) {
    const page = (await get(`/access?account=${accountId}&limit=2${before}`)).json()
    found.push(...page.requests.map(({ requestId }: Found) => requestId))
    if (page.next === null) break
    before = `&before=${page.next}`
  }
  t.deepEqual(found, asked)
})

test('a search without a time or an id looks at one day', async (t) => {
  const { accountId } = await gateway.customer()
  const requestId = randomUUID()
  const at = new Date(Date.now() - 2 * 24 * 3_600_000).toISOString()
  await insertAccess(gateway.db, [
    {
      ...{ at, requestId, method: 'GET', path: '/api/jobs', status: 200, ms: 1, bytes: 1 },
      ...{ remote: null, account: accountId, key: null, userId: null, agentId: null },
      ...{ operatorId: null, tool: null, made: null, aborted: true },
    },
  ])
  t.deepEqual(await search({ account: accountId }, 0), [])
  t.is((await search({ account: accountId, since: at }, 1))[0]?.requestId, requestId)
  t.is((await search({ request: requestId }, 1))[0]?.aborted, true)
})

test('no secret stands in a record, and no probe makes one', async (t) => {
  const { key } = await gateway.customer()
  const hushed = ['hush-query', 'hush-body', 'hush-password', 'hush-token', key.slice(12)]
  const of = { secret: gateway.secret, endsAt: null, now: new Date() }
  const jobId = randomUUID()
  const grant = makeGrant({ kind: 'play', id: jobId }, of)
  const headers = { 'x-api-key': key, authorization: 'Bearer hush-token' }
  const payload = { email: 'a@b.example', password: 'hush-password', more: 'hush-body' }
  const asked = [
    await server.inject({
      method: 'POST',
      url: '/api/auth/sign-in?a=hush-query',
      payload,
      headers,
    }),
    await server.inject({ url: '/objects/accounts/a?signature=hush-query' }),
    await server.inject({ url: `/play/${jobId}/${grant}/film.m3u8` }),
    await server.inject({ url: `/api/nothing/${key}`, headers }),
    await server.inject({ url: '/api/oauth/interactions/0123456789abcdefghijk' }),
  ]
  const records = []
  for (const reply of asked) records.push(...(await search({ request: idOf(reply) }, 1)))
  const text = JSON.stringify(records)
  for (const word of [...hushed, grant, '0123456789abcdefghijk']) t.false(text.includes(word), word)
  t.true(text.includes(`/play/${jobId}/:grant/`), text)
  const probe = await server.inject({ url: '/healthz' })
  const later = await server.inject({ url: '/api/jobs' })
  await search({ request: idOf(later) }, 1)
  t.deepEqual(await search({ request: idOf(probe) }, 0), [])
})

test('an address with a broken escape is found by the answer’s id', async (t) => {
  const { key } = await gateway.customer()
  const reply = await server.inject({
    ...{ url: `/api/%zz/${key}?a=hush-query`, headers: { 'x-api-key': key } },
    remoteAddress: '::ffff:203.0.113.77',
  })
  t.is(reply.statusCode, 400)
  const [found] = await search({ request: idOf(reply) }, 1)
  t.like(found, { method: 'GET', status: 400, address: '203.0.113.77', key: key.slice(0, 12) })
  t.is(found?.path, '/api/%zz/…')
})

test('an IPv4 caller of broken bytes is recorded as such', (t) => {
  const record = brokenRecord({ requestId: 'a', status: 400, remote: '::ffff:203.0.113.9' })
  t.is(record.remote, '203.0.113.9')
  t.is(brokenRecord({ requestId: 'a', status: 400, remote: undefined }).remote, null)
})

/** Counts statements that wait for the lock of a table. */
async function waitingFor(table: string): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like ${`%from ${table} %`}`.execute(gateway.db)
  return rows.length
}

test.serial('a search that takes too long is refused with advice', async (t) => {
  const holder = await lock('access_log')
  const reply = await get('/access?path=slow')
  await holder.release()
  t.is(reply.statusCode, 422, reply.body)
  t.regex(reply.json().message, /^A search must end within 8 s.*Narrow it/)
})

test.serial('a search ends where its caller hangs up', async (t) => {
  const own = await gateway.startReplica({ searchMs: minutesMs })
  t.teardown(() => own.stop())
  const address = await own.server.listen({ host: '127.0.0.1', port: 0 })
  const ask = (signal: AbortSignal) =>
    fetch(`${address}/api/operator/access?path=slow`, { headers: operator.headers, signal })
  const log = await lock('access_log')

  const sessions = await lock('operator_sessions')
  const early = new AbortController()
  const unheard = ask(early.signal)
  while ((await waitingFor('operator_sessions')) === 0) await sleep(20)
  early.abort()
  await t.throwsAsync(unheard, { name: 'AbortError' })
  await sessions.release()

  const late = new AbortController()
  const asking = ask(late.signal)
  while ((await waitingFor('access_log')) === 0) await sleep(20)
  late.abort()
  await t.throwsAsync(asking, { name: 'AbortError' })
  while ((await waitingFor('access_log')) > 0) await sleep(20)
  await log.release()
  t.pass('neither search is left')
})

test.serial('a search beyond those that may wait gets 429', async (t) => {
  const own = await gateway.startReplica({ searchMs: minutesMs })
  t.teardown(() => own.stop())
  const holder = await lock('access_log')
  const url = '/api/operator/access?path=slow'
  const asked = Array.from({ length: 11 }, () =>
    own.server.inject({ url, headers: operator.headers }),
  )
  const refused = await Promise.race(asked)
  t.is(refused.statusCode, 429, refused.body)
  t.is(refused.headers['retry-after'], '8')
  t.regex(refused.json().message, /^At most 8 searches may wait/)
  await holder.release()
  const codes = (await Promise.all(asked)).map(({ statusCode }) => statusCode)
  t.deepEqual(codes.toSorted(), [...Array.from({ length: 10 }, () => 200), 429])
})

test('times and texts that the database cannot hold are refused', async (t) => {
  for (const query of ['since=2026-12-31T23:59:60Z', 'until=0000-01-01T00:00:00Z']) {
    const reply = await get(`/access?${query}`)
    t.true([400, 422].includes(reply.statusCode), `${query}: ${reply.body}`)
    t.is(reply.json().details[0].field, query.split('=')[0])
  }
})

test('bytes that are no HTTP are found by the answer’s id', async (t) => {
  const own = await gateway.startReplica()
  t.teardown(() => own.stop())
  await own.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = own.server.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  socket.write('HELLO\r\n\r\n')
  await once(socket, 'close')
  const [, request = ''] = /x-request-id: (\S+)/.exec(answer) ?? []
  t.like((await search({ request }, 1))[0], { method: '?', status: 400, address: '127.0.0.1' })
})

test('a stopped process has written all its requests', async (t) => {
  const own = await gateway.startReplica()
  await own.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = own.server.server.address() as { port: number }
  const reply = await fetch(`http://127.0.0.1:${port}/api/jobs`)
  await reply.text()
  await own.stop()
  const [found] = await search({ request: reply.headers.get('x-request-id') ?? '' }, 0)
  t.like(found, { path: '/api/jobs', status: 401, address: '127.0.0.1', aborted: false })
})

test('a viewer searches no requests', async (t) => {
  const viewer = callsAs(gateway, (await addOperator(gateway, 'viewer')).headers)
  t.is((await viewer.get('/access')).statusCode, 403)
})

test('records without a database stay bounded, and lost ones are counted', async (t) => {
  const db = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', log: silent })
  const metrics = createApiMetrics()
  const records = keepAccessRecords({ db, log: silent, metrics })
  const at = new Date().toISOString()
  for (let i = 0; i < 10_500; i += 1) {
    records.add({
      ...{ at, requestId: `${i}`, method: 'GET', path: '/', status: 200, ms: 1, bytes: 1 },
      ...{ remote: null, account: null, key: null, userId: null, agentId: null },
      ...{ operatorId: null, tool: null, made: null, aborted: false },
    })
  }
  await records.stop()
  await db.destroy()
  const counted = await metrics.registry.getSingleMetricAsString('farm_access_records_lost_total')
  t.regex(counted, /farm_access_records_lost_total\S* 10500$/m)
})

test('a record that Postgres refuses holds up no others', async (t) => {
  const metrics = createApiMetrics()
  const records = keepAccessRecords({ db: gateway.db, log: silent, metrics })
  const request = randomUUID()
  const made = {
    ...{ at: new Date().toISOString(), method: 'GET', path: '/', status: 200, ms: 1, bytes: 1 },
    ...{ remote: null, account: null, key: null, userId: null, agentId: null },
    ...{ operatorId: null, tool: null, made: null, aborted: false },
  }
  records.add({ ...made, requestId: 'refused', remote: 'no address' })
  await records.stop()
  const next = keepAccessRecords({ db: gateway.db, log: silent, metrics })
  next.add({ ...made, requestId: request })
  await next.stop()
  t.is((await search({ request }, 0)).length, 1)
  const counted = await metrics.registry.getSingleMetricAsString('farm_access_records_lost_total')
  t.regex(counted, /farm_access_records_lost_total\S* 1$/m)
})
