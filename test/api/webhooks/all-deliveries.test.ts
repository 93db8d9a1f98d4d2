import test from 'ava'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Delivery = {
  readonly id: string
  readonly jobId: string
  readonly webhookId: string | null
  readonly url: string
  readonly status: string
  readonly body: string
}

const oneOff = 'https://once.example.com/done'

/** Two endpoints and a job with a receiver of its own, which failed: three deliveries. */
async function delivered() {
  const customer = await gateway.customer()
  const { post, accountId } = customer
  await setPlan(gateway.db, { accountId, plan: 'studio' })
  const endpoint = async (url: string): Promise<string> => {
    const reply = await post('/api/webhooks', { url, events: ['render.failed'] })
    return reply.json().id
  }
  const ids = [await endpoint('https://a.example.com/'), await endpoint('https://b.example.com/')]
  const job = { ...requestOf(), webhookUrl: oneOff }
  const { jobId } = (await post(renderPath, job)).json()
  const error = { code: 'media_invalid' as const, message: 'No picture. Got text', details: [] }
  await settleJob(gateway.db, {
    ...{ accountId, jobId, reason: 'test', settlement: { to: 'failed', error } },
  })
  const list = async (query = ''): Promise<{ deliveries: Delivery[]; total: number }> => {
    const reply = await customer.get(`/api/webhooks/deliveries${query}`)
    if (reply.statusCode !== 200) throw new Error(reply.body)
    return reply.json()
  }
  return { ...customer, ids, jobId: String(jobId), list }
}

test('deliveries to endpoints and a job’s own address are listed', async (t) => {
  const { ids, jobId, list } = await delivered()
  const { deliveries, total } = await list()
  t.is(total, 3)
  const receivers = deliveries.map(({ webhookId }) => webhookId ?? 'none').sort()
  t.deepEqual(receivers, [...ids, 'none'].sort())
  t.is(deliveries.find(({ webhookId }) => webhookId === null)?.url, oneOff)
  t.true(deliveries.every((each) => each.jobId === jobId))
})

test('an entry shows the body as it is sent', async (t) => {
  const { jobId, list } = await delivered()
  for (const { id, body } of (await list()).deliveries) {
    const { rows } = await sql<{ body: string }>`
      select body from webhook_deliveries where id = ${id}`.execute(gateway.db)
    t.deepEqual(rows, [{ body }])
    t.true(body.includes(jobId))
  }
})

test('deliveries are filtered by status, job and endpoint', async (t) => {
  const { ids, jobId, list, post } = await delivered()
  const [id = ''] = ids
  await post(`/api/webhooks/${id}/test`)
  t.is((await list()).total, 4)
  t.is((await list(`?jobId=${jobId}`)).total, 3)
  t.is((await list(`?webhookId=${id}`)).total, 2)
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null
    where job_id = ${jobId} and webhook_id is null`.execute(gateway.db)
  const failed = await list('?status=failed')
  t.deepEqual([failed.total, failed.deliveries[0]?.url], [1, oneOff])
  t.is((await list('?pageSize=1&page=2')).deliveries.length, 1)
})

test('a filter that names nothing of the account is refused or empty', async (t) => {
  const { ids, jobId, get } = await delivered()
  const stranger = await gateway.customer()
  const listed = async (query: string) => await stranger.get(`/api/webhooks/deliveries${query}`)
  t.is((await listed('')).json().total, 0)
  t.is((await listed(`?jobId=${jobId}`)).json().total, 0)
  t.is((await listed(`?webhookId=${ids[0]}`)).statusCode, 404)
  for (const query of ['status=lost', 'jobId=x', 'webhookId=x']) {
    const reply = await get(`/api/webhooks/deliveries?${query}`)
    t.is(reply.statusCode, 400)
    t.is(reply.json().details[0].field, query.split('=')[0])
  }
})

test('the client lists all deliveries', async (t) => {
  const { key } = await delivered()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const farm = createFarmClient({ url, apiKey: key })
  const urls: string[] = []
  for await (const delivery of farm.webhooks.allDeliveries({ status: 'pending' })) {
    urls.push(delivery.url)
  }
  t.true(urls.includes(oneOff))
})

test('pages by key reach the end while new deliveries are written', async (t) => {
  const { ids, list, post } = await delivered()
  const [id] = ids
  for (let i = 0; i < 4; i += 1) await post(`/api/webhooks/${id}/test`)
  const all = (await list('?pageSize=100')).deliveries.map((each) => each.id)
  t.is(all.length, 7)
  const seen: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: { deliveries: Delivery[]; next?: string | null } = await list(
      `?pageSize=2${next && `&after=${next}`}`,
    )
    seen.push(...page.deliveries.map((each) => each.id))
    next = page.next ?? null
    await post(`/api/webhooks/${id}/test`)
  }
  t.deepEqual(seen, all)
})

test('a page begins only behind a delivery of the account', async (t) => {
  const { list, get } = await delivered()
  const stranger = await gateway.customer()
  const [{ id } = { id: '' }] = (await list()).deliveries
  const ask = `/api/webhooks/deliveries?after=${id}`
  t.is((await stranger.get(ask)).statusCode, 404)
  t.is((await get(ask)).statusCode, 200)
  const twice = await get(`${ask}&page=2`)
  t.is(twice.json().details[0].field, 'page')
})

test('deliveries are filtered by event and by the time they were made', async (t) => {
  const { ids, list, post } = await delivered()
  await post(`/api/webhooks/${ids[0]}/test`)
  t.is((await list('?event=render.failed')).total, 3)
  t.is((await list('?event=render.completed')).total, 1)
  const soon = new Date(Date.now() + 60_000).toISOString()
  t.is((await list(`?createdFrom=${soon}`)).total, 0)
})
