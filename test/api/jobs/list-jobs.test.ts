import test from 'ava'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>
type Listed = { readonly jobs: readonly { id: string; name: string }[]; readonly total: number }

const listed = async ({ get }: Customer, query: string): Promise<Listed & { counts?: object }> => {
  const reply = await get(`/api/jobs?${query}`)
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}
const namesOf = async (customer: Customer, query: string) =>
  (await listed(customer, query)).jobs.map(({ name }) => name)

async function submitted({ post }: Customer, name: string, duration = 2): Promise<string> {
  const reply = await post(renderPath, requestOf({ ...film, name, duration }))
  if (reply.statusCode !== 202) throw new Error(reply.body)
  return reply.json().jobId
}

async function failed(customer: Customer, name: string, code: 'media_invalid' | 'internal') {
  const jobId = await submitted(customer, name)
  const error = { code, message: 'No picture. Got text', details: [] }
  await settleJob(gateway.db, {
    ...{ accountId: customer.accountId, jobId, reason: 'test' },
    settlement: { to: 'failed', error },
  })
  return jobId
}

/** One job queued, one cancelled, and two that failed. */
async function four() {
  const customer = await gateway.customer()
  await submitted(customer, 'queued')
  await customer.post(`/api/jobs/${await submitted(customer, 'cancelled')}/cancel`)
  await failed(customer, 'bad picture', 'media_invalid')
  await failed(customer, 'our fault', 'internal')
  return customer
}

test('jobs are listed by several states, repeated or with commas', async (t) => {
  const customer = await four()
  const some = ['our fault', 'bad picture', 'cancelled']
  t.deepEqual(await namesOf(customer, 'state=failed&state=cancelled'), some)
  t.deepEqual(await namesOf(customer, 'state=failed,cancelled'), some)
  t.is((await listed(customer, 'state=failed,cancelled&pageSize=1')).total, 3)
  for (const query of ['state=failed,lost', 'state=failed&state=lost', 'state=']) {
    const reply = await customer.get(`/api/jobs?${query}`)
    t.is(reply.statusCode, 400, query)
    t.is(reply.json().details[0].field, 'state')
    t.regex(reply.json().message, /^state must be one of queued, .*, cancelled\. Got /)
  }
})

test('failed jobs are found by their code', async (t) => {
  const customer = await four()
  t.deepEqual(await namesOf(customer, 'errorCode=media_invalid'), ['bad picture'])
  t.is((await customer.get('/api/jobs?errorCode=bad_luck')).json().details[0].field, 'errorCode')
})

test('jobs are found by the key that submitted them', async (t) => {
  const customer = await gateway.customer()
  await submitted(customer, 'first key')
  const key = await customer.anotherKey()
  const reply = await gateway.server.inject({
    ...{ method: 'POST', url: renderPath, headers: { 'x-api-key': key } },
    payload: requestOf({ ...film, name: 'second key' }),
  })
  const { rows } = await sql<{ id: string }>`
    select api_key_id as id from jobs where id = ${reply.json().jobId}`.execute(gateway.db)
  t.deepEqual(await namesOf(customer, `apiKeyId=${rows[0]?.id}`), ['second key'])
  const stranger = await gateway.customer()
  t.deepEqual(await namesOf(stranger, `apiKeyId=${rows[0]?.id}`), [])
  t.is((await customer.get('/api/jobs?apiKeyId=x')).json().details[0].field, 'apiKeyId')
})

test('jobs are sorted in either direction, the newest first by default', async (t) => {
  const customer = await gateway.customer()
  await submitted(customer, 'b', 4)
  await submitted(customer, 'C', 2)
  await submitted(customer, 'a', 6)
  const orders = {
    '': 'aCb',
    'sort=createdAt': 'bCa',
    'sort=-createdAt': 'aCb',
    'sort=name': 'abC',
    'sort=-name': 'Cba',
    'sort=credits': 'Cba',
    'sort=-credits': 'abC',
  }
  for (const [query, names] of Object.entries(orders)) {
    t.is((await namesOf(customer, query)).join(''), names, query)
  }
  t.is((await namesOf(customer, 'sort=name&page=2&pageSize=2')).join(''), 'C')
  t.is((await customer.get('/api/jobs?sort=price')).json().details[0].field, 'sort')
})

test('open jobs count as finished last', async (t) => {
  const customer = await four()
  t.deepEqual((await namesOf(customer, 'sort=finishedAt')).at(-1), 'queued')
  t.deepEqual((await namesOf(customer, 'sort=-finishedAt'))[0], 'queued')
})

test('counts by state follow every filter but the states', async (t) => {
  const customer = await four()
  const none = { resolving: 0, rendering: 0, assembling: 0, completed: 0 }
  const all = { ...none, queued: 1, failed: 2, cancelled: 1 }
  t.is((await listed(customer, '')).counts, undefined)
  t.deepEqual((await listed(customer, 'counts=true')).counts, all)
  t.deepEqual((await listed(customer, 'counts=true&state=failed&pageSize=1')).counts, all)
  const searched = { ...none, queued: 0, failed: 1, cancelled: 0 }
  t.deepEqual((await listed(customer, 'counts=true&search=fault')).counts, searched)
  t.deepEqual((await listed(await gateway.customer(), 'counts=true')).counts, {
    ...{ ...none, queued: 0, failed: 0, cancelled: 0 },
  })
})

test('the client lists by one state or several', async (t) => {
  const { key } = await four()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const farm = createFarmClient({ url, apiKey: key })
  const count = async (state: 'failed' | readonly ('failed' | 'queued')[]) => {
    let jobs = 0
    for await (const _ of farm.listJobs({ state, sort: 'name' })) jobs += 1
    return jobs
  }
  t.is(await count('failed'), 2)
  t.is(await count(['failed', 'queued']), 3)
})
