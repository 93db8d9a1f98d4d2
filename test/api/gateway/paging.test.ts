import test from 'ava'
import { pageOf } from '../../../api/gateway/paging.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

/** Every list of an account, and the name of its items. */
const lists = [
  ['/api/jobs', 'jobs'],
  ['/api/render/bulk', 'bulks'],
  ['/api/templates', 'templates'],
  ['/api/webhooks', 'webhooks'],
  ['/api/api-keys', 'apiKeys'],
  ['/api/credits/transactions', 'transactions'],
] as const

for (const [path, plural] of lists) {
  test(`${path} takes limit as well as pageSize, and says both`, async (t) => {
    const { get } = await gateway.customer()
    for (const query of ['limit=3', 'pageSize=3', 'limit=3&pageSize=3&page=1']) {
      const reply = (await get(`${path}?${query}`)).json()
      t.like(reply, { page: 1, pageSize: 3, limit: 3 }, query)
      t.true(Array.isArray(reply[plural]), query)
      t.is(typeof reply.total, 'number', query)
    }
    for (const [query, status] of [
      ...[['limit=0', 400] as const, ['limit=101', 400] as const, ['limit=x', 400] as const],
      ['limit=2&pageSize=3', 422],
    ] as const) {
      const reply = await get(`${path}?${query}`)
      t.is(reply.statusCode, status, query)
      t.is(reply.json().details[0].field, 'limit', query)
    }
  })
}

test('limit cuts a list, and the rest stands on the next page', async (t) => {
  const { get, post } = await gateway.customer()
  for (let i = 0; i < 3; i++) await post(renderPath, requestOf())
  const read = async (query: string) => (await get(`/api/jobs?${query}`)).json()
  const [first, second] = [await read('limit=2'), await read('limit=2&page=2')]
  t.deepEqual([first.jobs.length, second.jobs.length, first.total], [2, 1, 3])
})

test('a bulk says its id as id too; limit pages its jobs', async (t) => {
  const { get, post } = await gateway.customer()
  const { payload } = requestOf()
  const { bulkId } = (await post('/api/render/bulk/api-key', { payload, items: [{}, {}] })).json()
  const reply = (await get(`/api/render/bulk/${bulkId}?limit=1`)).json()
  t.like(reply, { id: bulkId, bulkId, limit: 1, pageSize: 1, total: 2 })
  t.is(reply.jobs.length, 1)
  t.is((await get('/api/render/bulk?limit=1')).json().bulks[0].id, bulkId)
})

test('deliveries take limit', async (t) => {
  const { get, post } = await gateway.customer()
  const hook = { url: 'https://example.com/hook', events: ['render.failed'] }
  const { id } = (await post('/api/webhooks', hook)).json()
  for (let i = 0; i < 2; i++) await post(`/api/webhooks/${id}/test`)
  const reply = (await get(`/api/webhooks/${id}/deliveries?limit=1`)).json()
  t.like(reply, { limit: 1, total: 2 })
  t.is(reply.deliveries.length, 1)
})

test('a short list is one page unless a size is given', (t) => {
  const items = [1, 2, 3]
  t.deepEqual(pageOf(items, {}), { items, page: 1, pageSize: 3, limit: 3, total: 3 })
  t.deepEqual(pageOf([], {}), { items: [], page: 1, pageSize: 1, limit: 1, total: 0 })
  t.deepEqual(pageOf(items, { limit: 2, page: 2 }).items, [3])
})

test('statistics take timeframe for days', async (t) => {
  const { get, accountId } = await gateway.customer()
  const { id } = (await get('/api/api-keys')).json().apiKeys[0]
  t.truthy(accountId)
  for (const path of ['/api/credits/usage-stats', `/api/api-keys/${id}/stats`]) {
    for (const query of ['24h', '7d', '30d', '90d', '366d', '7d&days=7']) {
      t.is((await get(`${path}?timeframe=${query}`)).statusCode, 200, query)
    }
    for (const query of ['7', '24', '0d', '367d', 'week', '7D', '7d&days=8']) {
      const reply = await get(`${path}?timeframe=${query}`)
      t.is(reply.statusCode, query.includes('&') ? 422 : 400, query)
      t.is(reply.json().details[0].field, 'timeframe', query)
    }
  }
})
