import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { operatorOperations } from '../../../operator/operations.ts'
import { readSealKeys } from '../../../runtime/seal.ts'
import { listActs } from '../../../store/db/fleet/list-acts.ts'
import { taskLogKey } from '../../../store/objects/keys.ts'
import { addJob, addLostAttempt, addNode } from '../../store/database.ts'
import { startGateway } from '../gateway.ts'
import { beforehand, changeCases, fill } from './change-cases.ts'
import { addOperator, callsAs } from './operators.ts'

const sealKey = 'a seal key of at least 32 characters'
const sealKeys = readSealKeys({ FARM_SEAL_KEYS: `one:${sealKey}` }, 'unused')
const gateway = await startGateway({ operatorApi: 'on', sealKeys })
const { db } = gateway
const admin = await addOperator(gateway, 'admin')
test.after.always(() => gateway.stop())
const { get, post } = callsAs(gateway, admin.headers)
const why = 'a reason that is on record'
const { cases, job, receiver, newDelivery, newWebhook } = changeCases(gateway, { post })

const changes = operatorOperations.filter(({ method }) => method === 'POST')

for (const { id, path } of changes) {
  test(`${id} answers and leaves one act with who and why`, async (t) => {
    const { params, body, subject } = (await cases[id]?.()) ?? {}
    const reply = await post(fill(path, params), { ...body, why })
    t.is(reply.statusCode, 200, reply.body)
    const about = subject ?? reply.json().id
    const acts = await listActs(db, { limit: 9, subject: about })
    const mine = acts.filter((act) => act.why === why)
    t.is(mine.length, 1)
    t.is(mine[0]?.actor, admin.email)
  })

  test(`${id} without a reason changes nothing`, async (t) => {
    const { params, body, subject = 'none' } = (await cases[id]?.()) ?? {}
    for (const given of [{}, { why: 'no' }, { why: 'x'.repeat(501) }]) {
      const reply = await post(fill(path, params), { ...body, ...given })
      t.true([400, 422].includes(reply.statusCode), reply.body)
      t.is(reply.json().details[0].field, 'why')
    }
    const acts = await listActs(db, { limit: 9, subject })
    t.deepEqual(
      acts.filter(({ actor, why: reason }) => actor === admin.email && reason !== beforehand),
      [],
    )
  })
}

test('every changing route of operators has a case here', async (t) => {
  await gateway.server.ready()
  const routes = gateway.server.access.filter(
    ({ method, path }) =>
      !['GET', 'HEAD'].includes(method) &&
      path.startsWith('/api/operator') &&
      !path.startsWith('/api/operator/auth/'),
  )
  t.deepEqual(changes.map(({ id }) => id).toSorted(), Object.keys(cases).toSorted())
  t.deepEqual(
    routes.map(({ path }) => path).toSorted(),
    changes.map(({ path }) => `/api/operator${path}`).toSorted(),
  )
})

test('several nodes change with one reason, or none of them does', async (t) => {
  const [one, two, released] = [await addNode(db), await addNode(db), await addNode(db)]
  const states = async () =>
    (
      await db
        .selectFrom('nodes')
        .select('state')
        .where('id', 'in', [one, two, released])
        .orderBy('state')
        .execute()
    ).map(({ state }) => state)
  const cordon = async (nodes: string[]) => await post('/nodes/cordon', { nodes, why })
  t.is((await cordon([one, two])).json().nodes.length, 2)
  for (const subject of [one, two]) t.is((await listActs(db, { limit: 9, subject })).length, 1)
  const refused = await cordon([released, one])
  t.is(refused.statusCode, 409)
  t.deepEqual(await states(), ['active', 'cordoned', 'cordoned'])
  t.deepEqual(await listActs(db, { limit: 9, subject: released }), [])
})

test('no answer shows a secret of a customer', async (t) => {
  const { accountId, key } = await gateway.customer()
  const jobId = await addJob(db, accountId, 1)
  const url = 'https://user:url-password@media.example.com/a.png?signature=url-signature'
  const spec = { url, headers: { authorization: 'header-secret' } }
  const task = { accountId, jobId, kind: 'ingest', spec } as never
  const taskId = await addLostAttempt(db, task)
  const request = { payload: { name: 'film', visuals: [{ src: url }] } }
  await sql`update jobs set request = ${JSON.stringify(request)} where id = ${jobId}`.execute(db)
  await receiver()
  const delivery = await newDelivery(accountId)
  const webhook = await newWebhook(accountId)
  const { rows } = await sql<{ hash: string }>`
    select encode(sha256, 'hex') as hash from api_keys where account_id = ${accountId}`.execute(db)
  const secrets = [
    ...[key, key.slice(4), rows[0]?.hash ?? '?', 'sealed-webhook-secret', 'secret-in-query'],
    ...[
      'secret-hook',
      'url-password',
      'url-signature',
      'header-secret',
      gateway.secret,
      sealKey,
      'argon2id',
    ],
  ]
  const params = {
    account: accountId,
    job: jobId,
    task: taskId,
    webhook,
    delivery,
    chart: 'queued',
  }
  const named = { ...params, node: await addNode(db) }
  const reads = operatorOperations.filter(({ method }) => method === 'GET')
  for (const { id, path } of reads) {
    const query = id === 'operatorFindKeys' ? `?start=${key.slice(0, 9)}` : ''
    const { statusCode, body } = await get(fill(path, named) + query)
    t.is(statusCode, 200, `${id}: ${body}`)
    for (const secret of secrets) t.false(body.includes(secret), `${id} shows ${secret}: ${body}`)
  }
  t.regex((await get(`/jobs/${jobId}`)).body, /media\.example\.com\/a\.png/)
  t.regex((await get(`/accounts/${accountId}/webhooks`)).body, /https:\/\/example\.com\//)
  const output = await post(`/jobs/${jobId}/read-output`, { why })
  for (const secret of secrets) t.false(output.body.includes(secret))
})

test('a viewer reads no customer’s request, even with a reason', async (t) => {
  const { params } = await job()
  const viewer = callsAs(gateway, (await addOperator(gateway, 'viewer')).headers)
  const operator = callsAs(gateway, (await addOperator(gateway, 'operator')).headers)
  const path = `/jobs/${params.job}/read-request`
  t.is((await viewer.post(path, { why })).statusCode, 403)
  t.deepEqual(await listActs(db, { limit: 9, subject: params.job }), [])
  const { request } = (await operator.post(path, { why })).json()
  t.deepEqual(request, { payload: { name: 'film' } })
})

test('jobs are paged by the last job of the page before', async (t) => {
  const { accountId } = await gateway.customer()
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) ids.unshift(await addJob(db, accountId, 1))
  // Jobs of one moment keep an order, too.
  await sql`update jobs set created_at = '2030-01-01' where id = any(${ids.slice(0, 3)})`.execute(
    db,
  )
  const found: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const after: string = next === '' ? '' : `&after=${next}`
    const page = (await get(`/jobs?account=${accountId}&limit=2${after}`)).json()
    found.push(...page.jobs.map(({ id }: { id: string }) => id))
    next = page.next
  }
  t.is(new Set(found).size, 5)
  t.deepEqual(found.toSorted(), ids.toSorted())
  t.is((await get(`/jobs?after=${randomUUID()}`)).statusCode, 404)
})

test('acts are found by parts of who did what', async (t) => {
  const why = `a reason ${randomUUID()}`
  await post('/pools/limit', { pool: `gpu ${randomUUID()}`, slots: 3, why })
  const found = async (query: string) =>
    ((await get(`/audit?limit=10000&${query}`)).json().acts as { why: string }[]).some(
      (act) => act.why === why,
    )
  t.true(await found('act=POOLS'))
  t.true(await found(`actor=${admin.email.slice(0, 12)}&act=limit`))
  t.false(await found('act=nodes'))
  t.false(await found('actor=nobody'))
})

test('a log answers its last whole lines on demand', async (t) => {
  const { accountId } = await gateway.customer()
  const jobId = await addJob(db, accountId, 1)
  const taskId = await addLostAttempt(db, { accountId, jobId })
  const log = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n')
  await gateway.objects.put(taskLogKey({ accountId, taskId, attempt: 1 }), Buffer.from(log))
  const read = async (query = '') => (await get(`/tasks/${taskId}/log${query}`)).json()
  t.like(await read(), { log, logBytes: log.length })
  t.is((await read('?kilobytes=100')).log, log)
  const end = await read('?kilobytes=1')
  t.is(end.logBytes, log.length)
  t.true(end.log.length <= 1000 && end.log.length > 980)
  t.regex(end.log, /^line \d+\n/)
  t.true(log.endsWith(`\n${end.log}`))
})

test('acts are paged by the id of the last one', async (t) => {
  for (let at = 0; at < 3; at += 1) await post('/pools/limit', { pool: 'paged', slots: at, why })
  const [first, second] = [
    (await get('/audit?subject=paged&limit=2')).json(),
    (await get(`/audit?subject=paged&limit=2&before=1000000`)).json(),
  ]
  t.deepEqual(first, second)
  const rest = (await get(`/audit?subject=paged&limit=2&before=${first.next}`)).json()
  t.deepEqual([first.acts.length, rest.acts.length, rest.next], [2, 1, null])
})

test('operators have a rate of their own, which no account has', async (t) => {
  const { headers } = await get('/pools')
  t.is(headers['ratelimit-limit'], '1200')
})
