import test from 'ava'
import { sql } from 'kysely'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { removeOldKeys } from '../../../store/db/accounts/take-idempotency-key.ts'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const request = { payload: film }
type Customer = Awaited<ReturnType<Gateway['customer']>>

async function post({ send }: Customer, key: string, body: unknown = request, path = renderPath) {
  return await send('POST', path, body, { 'idempotency-key': key })
}

const jobsOf = async ({ get }: Customer) => (await get('/api/jobs')).json().total

test('the same key and body get the same answer, and one job', async (t) => {
  const customer = await gateway.customer()
  const first = await post(customer, 'order-1')
  const second = await post(customer, 'order-1')
  t.is(first.statusCode, 202)
  t.is(first.headers['idempotent-replayed'], undefined)
  t.deepEqual([second.statusCode, second.body], [202, first.body])
  t.is(second.headers['idempotent-replayed'], 'true')
  t.is(second.headers['content-type'], first.headers['content-type'])
  t.is(await jobsOf(customer), 1)
  t.is((await customer.get('/api/credits/balance')).json().reserved, 2)
})

test('another body under the same key is refused', async (t) => {
  const customer = await gateway.customer()
  await post(customer, 'k')
  const other = await post(customer, 'k', { payload: { ...film, duration: 3 } })
  t.is(other.statusCode, 409)
  t.like(other.json(), { code: 'conflict', details: [{ field: 'Idempotency-Key' }] })
  t.is(await jobsOf(customer), 1)
})

test('a key is an account’s and a route’s own', async (t) => {
  const [one, other] = [await gateway.customer(), await gateway.customer()]
  const ids = new Set<string>()
  for (const customer of [one, other]) ids.add((await post(customer, 'k')).json().jobId)
  t.is(ids.size, 2)
  const validated = await post(one, 'k', request, '/api/render/validate/api-key')
  t.true(validated.json().valid)
  for (const jobId of ids) {
    const reply = await post(one, 'k', {}, `/api/jobs/${jobId}/cancel`)
    t.is(reply.statusCode, jobId === [...ids][0] ? 200 : 404)
  }
})

test('another key of the account does not get the answer', async (t) => {
  const customer = await gateway.customer()
  await post(customer, 'mine')
  const { key } = await createKey(gateway.db, { accountId: customer.accountId, name: 'other' })
  const reply = await gateway.server.inject({
    ...{ method: 'POST', url: renderPath, payload: JSON.stringify(request) },
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'mine' },
  })
  t.is(reply.statusCode, 409)
})

test('twenty at once make one job and get one answer', async (t) => {
  const customer = await gateway.customer()
  const replies = await Promise.all(Array.from({ length: 20 }, () => post(customer, 'once')))
  t.deepEqual([...new Set(replies.map(({ body }) => body))], [replies[0]?.body])
  t.true(replies.every(({ statusCode }) => statusCode === 202))
  t.is(await jobsOf(customer), 1)
})

test('a refusal is repeated, too, with its type', async (t) => {
  const customer = await gateway.customer(1)
  const first = await post(customer, 'poor')
  t.is(first.statusCode, 402)
  const second = await post(customer, 'poor')
  t.deepEqual([second.statusCode, second.body], [402, first.body])
  t.regex(String(second.headers['content-type']), /^application\/problem\+json/)
})

test('keys that are too long or go beyond visible ASCII are refused', async (t) => {
  const customer = await gateway.customer()
  for (const key of ['', 'a b', 'x'.repeat(256), 'käse']) {
    const reply = await post(customer, key)
    t.is(reply.statusCode, 400, key)
    t.is(reply.json().details[0].field, 'Idempotency-Key')
  }
  t.is((await post(customer, 'x'.repeat(255))).statusCode, 202)
})

/** Leaves a key like a process that died while it answered. */
async function leaveUnfinished({ accountId }: Customer) {
  await sql`
    update idempotency_keys set status = null, answer = null, content_type = null,
      claimed_until = now() - interval '1 second'
    where account_id = ${accountId}`.execute(gateway.db)
}

test('the same act goes on after a crash between job and answer', async (t) => {
  const customer = await gateway.customer(2)
  for (const [key, body] of [
    ['crashed', request],
    ['crashed-with-an-id', { ...request, jobId: '7f8a2f3e-0000-4000-8000-0000000000aa' }],
  ] as const) {
    const fresh = await gateway.customer(2)
    const first = (await post(fresh, key, body)).json()
    await leaveUnfinished(fresh)
    const second = await post(fresh, key, body)
    t.is(second.statusCode, 202, key)
    t.is(second.json().jobId, first.jobId)
    t.is(await jobsOf(fresh), 1)
    t.is((await fresh.get('/api/credits/balance')).json().reserved, 2)
    t.is((await post(fresh, key, body)).body, second.body)
  }
  const bulk = {
    payload: { ...film, name: 'Film {{n}}' },
    items: [1, 2, 3].map((n) => ({ variables: { n } })),
  }
  const buyer = await gateway.customer(6)
  const many = await post(buyer, 'bulk', bulk, '/api/render/bulk/api-key')
  t.is(many.statusCode, 202)
  await leaveUnfinished(buyer)
  const same = await post(buyer, 'bulk', bulk, '/api/render/bulk/api-key')
  t.deepEqual([same.statusCode, same.json()], [202, many.json()])
  t.is(await jobsOf(buyer), 3)
  t.is((await buyer.get('/api/credits/balance')).json().reserved, 6)
  const made = await post(customer, 't', { name: 'x', payload: film }, '/api/templates')
  await leaveUnfinished(customer)
  const again = await post(customer, 't', { name: 'x', payload: film }, '/api/templates')
  t.deepEqual([again.statusCode, again.json()], [201, made.json()])
  t.is((await customer.get('/api/templates')).json().total, 1)
})

test('after a crash a delivery that was ordered is not ordered again', async (t) => {
  const customer = await gateway.customer()
  const hook = { url: 'https://hooks.example.com/farm', events: ['render.failed'] }
  const { id } = (await post(customer, 'new', hook, '/api/webhooks')).json()
  const order = async (key: string, path: string) => {
    const first = (await post(customer, key, {}, path)).json()
    await leaveUnfinished(customer)
    t.deepEqual((await post(customer, key, {}, path)).json(), first)
    return first.deliveryId
  }
  const deliveryId = await order('test', `/api/webhooks/${id}/test`)
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null
    where id = ${deliveryId}`.execute(gateway.db)
  const again = await order('again', `/api/webhooks/deliveries/${deliveryId}/redeliver`)
  t.not(again, deliveryId)
  t.is((await customer.get(`/api/webhooks/${id}/deliveries`)).json().total, 2)
})

test('a jobId that another request used is refused, also under a key', async (t) => {
  const customer = await gateway.customer()
  const jobId = '7f8a2f3e-0000-4000-8000-0000000000bb'
  t.is((await post(customer, 'one', { ...request, jobId })).statusCode, 202)
  t.is((await post(customer, 'two', { ...request, jobId })).statusCode, 409)
  const used = await customer.post(renderPath, { ...request, jobId })
  t.is(used.statusCode, 409)
  t.like(used.json(), { code: 'conflict', details: [{ field: 'jobId', pointer: '/jobId' }] })
})

// Serial, because no test has a jobs table meanwhile.
test.serial('a failure of the farm is retried as the same act', async (t) => {
  const customer = await gateway.customer()
  await sql`alter table jobs rename to jobs_away`.execute(gateway.db)
  const failed = await post(customer, 'k')
  await sql`alter table jobs_away rename to jobs`.execute(gateway.db)
  t.is(failed.statusCode, 500)
  const second = await post(customer, 'k')
  t.is(second.statusCode, 202)
  t.is(second.headers['idempotent-replayed'], undefined)
  t.is((await post(customer, 'k')).body, second.body)
})

test('kept answers cannot be read in the database', async (t) => {
  const customer = await gateway.customer()
  const { jobId } = (await post(customer, 'sealed')).json()
  const { answer } = await gateway.db
    .selectFrom('idempotency_keys')
    .select('answer')
    .where('account_id', '=', customer.accountId)
    .executeTakeFirstOrThrow()
  t.false(answer?.includes(jobId))
})

test('a key stands for a day', async (t) => {
  const customer = await gateway.customer()
  const first = (await post(customer, 'k')).json()
  const age = async (hours: number) =>
    await sql`
      update idempotency_keys set created_at = now() - make_interval(hours => ${hours})
      where account_id = ${customer.accountId}`.execute(gateway.db)
  await age(23)
  await removeOldKeys(gateway.db, { limit: 100 })
  t.is((await post(customer, 'k')).json().jobId, first.jobId)
  await age(25)
  const later = await post(customer, 'k', { payload: { ...film, duration: 3 } })
  t.is(later.statusCode, 202)
  t.not(later.json().jobId, first.jobId)
  await age(25)
  t.true((await removeOldKeys(gateway.db, { limit: 100 })) >= 1)
})

test('an answer with a secret is repeated, or reported as lost', async (t) => {
  const hook = { url: 'https://hooks.example.com/farm', events: ['render.failed'] }
  for (const [path, body, list] of [
    ['/api/api-keys', { name: 'ours' }, 'apiKeys'],
    ['/api/webhooks', hook, 'webhooks'],
  ] as const) {
    const customer = await gateway.customer()
    const count = async () => (await customer.get(path)).json()[list].length
    const first = await post(customer, 'secret', body, path)
    t.is(first.statusCode, 201)
    const made = await count()
    t.is((await post(customer, 'secret', body, path)).body, first.body)
    await leaveUnfinished(customer)
    const lost = await post(customer, 'secret', body, path)
    t.is(lost.statusCode, 409)
    t.regex(lost.json().message, /shows a secret must have a stored first response/)
    t.is((await post(customer, 'secret', body, path)).body, lost.body)
    t.is(await count(), made)
  }
  const customer = await gateway.customer()
  const { id, secret } = (await post(customer, 'new', hook, '/api/webhooks')).json()
  const rotation = `/api/webhooks/${id}/rotate-secret`
  const rotated = (await post(customer, 'rotate', {}, rotation)).json()
  t.not(rotated.secret, secret)
  t.is((await post(customer, 'rotate', {}, rotation)).json().secret, rotated.secret)
  await leaveUnfinished(customer)
  t.is((await post(customer, 'rotate', {}, rotation)).statusCode, 409)
  t.is((await customer.get('/api/webhooks')).json().webhooks[0].updatedAt, rotated.updatedAt)
})
