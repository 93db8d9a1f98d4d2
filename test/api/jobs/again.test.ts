import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { bearer, call, signIn } from '../accounts.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const named = {
  ...film,
  visuals: [{ type: 'TEXT', text: 'Hello {{who}}' }],
  variables: { who: 'you' },
}
const webhookUrl = 'https://hooks.example.com/farm'

type Customer = Awaited<ReturnType<Gateway['customer']>>

async function submitted({ post }: Customer, request: object): Promise<string> {
  const reply = await post(renderPath, request)
  if (reply.statusCode !== 202) throw new Error(reply.body)
  return reply.json().jobId
}

async function cancelled(customer: Customer, request: object): Promise<string> {
  const jobId = await submitted(customer, request)
  await customer.post(`/api/jobs/${jobId}/cancel`)
  return jobId
}

const requestOfJob = async ({ get }: Customer, jobId: string, query = '') =>
  (await get(`/api/jobs/${jobId}/request${query}`)).json()

const templateOf = async ({ post }: Customer, payload: object): Promise<string> =>
  (await post('/api/templates', { name: 'card', payload })).json().id

test('a request is answered as it was sent, without the job’s id', async (t) => {
  const customer = await gateway.customer()
  const sent = { payload: named, variables: { who: 'Ada' }, overrides: { width: 640 }, webhookUrl }
  const jobId = await submitted(customer, { ...sent, jobId: randomUUID() })
  t.deepEqual(await requestOfJob(customer, jobId), sent)
  t.not(await submitted(customer, await requestOfJob(customer, jobId)), jobId)
})

test('a request names its template, or shows its payload of that time', async (t) => {
  const customer = await gateway.customer()
  const template = await templateOf(customer, named)
  const sent = { template, variables: { who: 'Ada' } }
  const jobId = await submitted(customer, sent)
  await customer.send('PUT', `/api/templates/${template}`, { payload: film })
  t.deepEqual(await requestOfJob(customer, jobId), sent)
  const expanded = { payload: named, variables: sent.variables }
  t.deepEqual(await requestOfJob(customer, jobId, '?expand=true'), expanded)
})

test('a request of a bulk’s job is its item’s whole request', async (t) => {
  const customer = await gateway.customer()
  const items = [{ name: 'ada', variables: { who: 'Ada' } }]
  const bulk = await customer.post('/api/render/bulk/api-key', { payload: named, items })
  const [jobId] = bulk.json().jobIds
  t.deepEqual(await requestOfJob(customer, jobId), {
    ...{ payload: named, variables: { who: 'Ada' }, overrides: { name: 'ada' } },
  })
})

test('requests and retries are their account’s own', async (t) => {
  const jobId = await cancelled(await gateway.customer(), requestOf())
  const { get, post } = await gateway.customer()
  t.is((await get(`/api/jobs/${jobId}/request`)).statusCode, 404)
  t.is((await post(`/api/jobs/${jobId}/retry`)).statusCode, 404)
})

test('a retry is a new job with the same request, charged anew', async (t) => {
  const customer = await gateway.customer(100)
  const template = await templateOf(customer, named)
  const jobId = await cancelled(customer, { template, variables: { who: 'Ada' }, webhookUrl })
  await customer.send('PUT', `/api/templates/${template}`, { payload: film })
  const reply = await customer.post(`/api/jobs/${jobId}/retry`)
  t.is(reply.statusCode, 202)
  const { jobId: again, status, creditsReserved } = reply.json()
  t.not(again, jobId)
  t.like({ status, creditsReserved }, { status: 'queued', creditsReserved: 2 })
  const job = (await customer.get(`/api/jobs/${again}`)).json()
  t.like(job, { state: 'queued', templateId: template })
  const expanded = await requestOfJob(customer, again, '?expand=true')
  t.deepEqual(expanded, { payload: named, variables: { who: 'Ada' }, webhookUrl })
  t.is((await customer.get('/api/credits/balance')).json().reserved, 2)
})

test('overrides of a retry replace those of the request, by name', async (t) => {
  const customer = await gateway.customer()
  const sent = { payload: named, overrides: { width: 640, height: 360 } }
  const jobId = await cancelled(customer, sent)
  const retry = { overrides: { width: 320, name: 'smaller' } }
  const { jobId: again } = (await customer.post(`/api/jobs/${jobId}/retry`, retry)).json()
  const { overrides } = await requestOfJob(customer, again)
  t.deepEqual(overrides, { width: 320, height: 360, name: 'smaller' })
  const refused = await customer.post(`/api/jobs/${jobId}/retry`, { overrides: { width: 0 } })
  t.is(refused.statusCode, 400)
  t.is(refused.json().details[0].field, 'overrides.width')
  const unknown = await customer.post(`/api/jobs/${jobId}/retry`, { payload: film })
  t.is(unknown.json().details[0].field, 'payload')
})

test('a retry under one key acts once', async (t) => {
  const customer = await gateway.customer()
  const jobId = await cancelled(customer, requestOf())
  const key = { 'idempotency-key': randomUUID() }
  const retry = async () => await customer.send('POST', `/api/jobs/${jobId}/retry`, undefined, key)
  const [first, second] = [await retry(), await retry()]
  t.is(first.statusCode, 202)
  t.is(second.body, first.body)
  t.is((await customer.get('/api/jobs')).json().total, 2)
})

test('an open job cannot be rendered again', async (t) => {
  const customer = await gateway.customer()
  const jobId = await submitted(customer, requestOf())
  const reply = await customer.post(`/api/jobs/${jobId}/retry`)
  t.is(reply.statusCode, 409)
  t.regex(reply.json().message, /must have ended.*It is queued/)
})

test('a retry is judged by the plan and the credits of now', async (t) => {
  const customer = await gateway.customer(3)
  const jobId = await cancelled(customer, requestOf())
  await submitted(customer, requestOf())
  const reply = await customer.post(`/api/jobs/${jobId}/retry`)
  t.is(reply.statusCode, 402)
  await sql`update accounts set credits_balance = credits_balance + 10
    where id = ${customer.accountId}`.execute(gateway.db)
  t.is((await customer.post(`/api/jobs/${jobId}/retry`)).statusCode, 202)
})

test('a signed-in user and the client retry as well', async (t) => {
  const customer = await gateway.customer()
  const jobId = await cancelled(customer, requestOf())
  const { accessToken } = await signIn(gateway, customer.accountId)
  const headers = bearer(accessToken)
  t.is((await call(gateway, 'POST', `/api/jobs/${jobId}/retry`, { headers })).statusCode, 202)
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const farm = createFarmClient({ url, apiKey: customer.key })
  t.deepEqual((await farm.requestOf(jobId)).payload, film)
  t.is((await farm.retry(jobId, { overrides: { name: 'again' } })).status, 'queued')
})
