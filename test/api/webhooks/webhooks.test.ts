import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { urlPattern } from '../../../core/project/schema/fields.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { readSealKeys, unseal } from '../../../runtime/seal.ts'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { recordFailure, recordSuccess } from '../../../store/db/webhooks/record-attempt.ts'
import { writeDeliveries } from '../../../store/db/webhooks/write-deliveries.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Shown = {
  readonly id: string
  readonly webhookId: string | null
  readonly url: string
  readonly waiting?: string
}

const sent = (responseCode: number) => ({
  ...{ at: new Date().toISOString(), responseCode, durationMs: 1 },
  error: responseCode === 200 ? null : 'no',
})

const hook = { url: 'https://hooks.example.com/farm', events: ['render.completed'] }

async function customer() {
  const { key, ...calls } = await gateway.customer()
  const headers = { 'x-api-key': key }
  return {
    ...calls,
    put: (url: string, body: unknown) =>
      gateway.server.inject({
        ...{ method: 'PUT', url, payload: JSON.stringify(body) },
        headers: { ...headers, 'content-type': 'application/json' },
      }),
    delete: (url: string) => gateway.server.inject({ method: 'DELETE', url, headers }),
  }
}

test('an endpoint goes by whk_ and twenty letters or digits', async (t) => {
  const { post, get, put } = await customer()
  const { id, secret } = (await post('/api/webhooks', hook)).json()
  t.regex(id, /^whk_[A-Za-z0-9]{20}$/)
  t.is((await get(`/api/webhooks/${id}`)).json().webhook.id, id)
  t.is((await put(`/api/webhooks/${id}`, { description: 'b' })).json().id, id)
  t.true((await post(`/api/webhooks/${id}/test`)).json().queued)
  t.is((await get(`/api/webhooks/${id}/deliveries`)).json().total, 1)
  const rotated = (await post(`/api/webhooks/${id}/rotate-secret`)).json()
  t.is(rotated.id, id)
  t.not(rotated.secret, secret)
  t.is((await get(`/api/webhooks/whk_${'a'.repeat(20)}`)).statusCode, 404)
  t.is((await get('/api/webhooks/whk_short')).statusCode, 400)
})

test('an endpoint made before such ids goes on under its UUID', async (t) => {
  const { accountId, post, get, put, ...calls } = await customer()
  const id = randomUUID()
  const old = { id, accountId, url: hook.url, description: '', secret: 'sealed' }
  await createWebhook(gateway.db, { ...old, events: ['render.failed'] }, { limit: 1 })
  t.is((await get('/api/webhooks')).json().webhooks[0].id, id)
  t.is((await get(`/api/webhooks/${id.toUpperCase()}`)).json().webhook.id, id)
  t.is((await put(`/api/webhooks/${id}`, { description: 'b' })).json().id, id)
  t.true((await post(`/api/webhooks/${id}/test`)).json().queued)
  t.is((await get(`/api/webhooks/${id}/deliveries`)).json().total, 1)
  t.deepEqual((await calls.delete(`/api/webhooks/${id}`)).json(), { deleted: true })
})

test('an endpoint is made, shown, changed and removed as the contract says', async (t) => {
  const { post, get, put, ...calls } = await customer()
  t.like((await get('/api/webhooks')).json(), { webhooks: [], usage: { used: 0, limit: 1 } })
  const made = await post('/api/webhooks', { ...hook, description: 'ours' })
  t.is(made.statusCode, 201)
  const { secret, ...webhook } = made.json()
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.like(webhook, { ...hook, description: 'ours', status: 'active', exhaustedInRow: 0 })
  const path = `/api/webhooks/${webhook.id}`
  t.deepEqual((await get(path)).json(), { webhook })
  t.like((await get('/api/webhooks')).json(), {
    webhooks: [webhook],
    total: 1,
    usage: { used: 1, limit: 1 },
  })
  const url = 'https://hooks.example.com/other'
  const changed = await put(path, { url, status: 'disabled' })
  t.is(changed.statusCode, 200)
  t.like(changed.json(), { ...hook, url, description: 'ours', status: 'disabled' })
  t.false('secret' in changed.json())
  t.deepEqual((await get(path)).json(), { webhook: changed.json() })
  const gone = await calls.delete(path)
  t.is(gone.statusCode, 200)
  t.deepEqual(gone.json(), { deleted: true })
  t.is((await get(path)).statusCode, 404)
  t.is((await calls.delete(path)).statusCode, 404)
})

test('a secret is shown once, sealed at rest, and changed by rotation', async (t) => {
  const { post, get } = await customer()
  const { secret, ...webhook } = (await post('/api/webhooks', hook)).json()
  const stored = async () =>
    await gateway.db
      .selectFrom('webhooks')
      .selectAll()
      .where('public_id', '=', webhook.id)
      .executeTakeFirstOrThrow()
  const first = await stored()
  t.false(JSON.stringify(first).includes(secret.slice('whsec_'.length, 20)))
  const keys = readSealKeys({}, 'a secret for the test')
  t.is(unseal(keys, first.secret, `webhook ${first.id}`), secret)
  t.throws(() => unseal(keys, first.secret, `webhook ${randomUUID()}`))
  const rotated = await post(`/api/webhooks/${webhook.id}/rotate-secret`)
  t.is(rotated.statusCode, 200)
  t.not(rotated.json().secret, secret)
  t.true(Date.parse(rotated.json().previousSecretUntil) > Date.now() + 23 * 3_600_000)
  const second = await stored()
  t.is(second.previous_secret, first.secret)
  t.is(unseal(keys, second.secret, `webhook ${first.id}`), rotated.json().secret)
  t.false(/secret":"whsec/.test((await get(`/api/webhooks/${webhook.id}`)).body))
})

test('a plan limits the number of endpoints, and says so', async (t) => {
  const { post } = await customer()
  t.is((await post('/api/webhooks', hook)).statusCode, 201)
  const refused = await post('/api/webhooks', hook)
  t.is(refused.statusCode, 422)
  t.like(refused.json(), { code: 'plan_limit', planLimits: { webhooks: 1 } })
})

test('an endpoint of another account is none, on every route', async (t) => {
  const owner = await customer()
  const stranger = await customer()
  const { id } = (await owner.post('/api/webhooks', hook)).json()
  const { deliveryId } = (await owner.post(`/api/webhooks/${id}/test`)).json()
  const answersFor = async (webhookId: string, delivery: string) => {
    const path = `/api/webhooks/${webhookId}`
    const replies = [
      await stranger.get(path),
      await stranger.put(path, { description: 'mine' }),
      await stranger.delete(path),
      await stranger.get(`${path}/deliveries`),
      await stranger.post(`${path}/test`),
      await stranger.post(`${path}/rotate-secret`),
      await stranger.post(`/api/webhooks/deliveries/${delivery}/redeliver`),
    ]
    return replies.map(({ statusCode, body }) => [
      statusCode,
      body
        .replaceAll(webhookId, 'ID')
        .replaceAll(delivery, 'ID')
        .replace(/"requestId":"[\w-]+"/, ''),
    ])
  }
  const foreign = await answersFor(id, deliveryId)
  t.true(foreign.every(([status]) => status === 404))
  t.deepEqual(await answersFor(randomUUID(), randomUUID()), foreign)
  t.true((await answersFor('x', 'y')).every(([status]) => status === 400))
  t.is((await owner.get(`/api/webhooks/${id}`)).json().webhook.description, '')
})

test('a change of nothing is refused', async (t) => {
  const { post, put } = await customer()
  const { id } = (await post('/api/webhooks', hook)).json()
  const reply = await put(`/api/webhooks/${id}`, {})
  t.is(reply.statusCode, 400)
  t.regex(reply.json().detail, /At least one of url, events, description, status must be given/)
})

test('a test event is queued and logged; ended ones can be redelivered', async (t) => {
  const { post, get } = await customer()
  const { id } = (await post('/api/webhooks', hook)).json()
  const path = `/api/webhooks/${id}`
  const queued = await post(`${path}/test`)
  t.is(queued.statusCode, 200)
  const { deliveryId } = queued.json()
  t.deepEqual(queued.json(), { queued: true, deliveryId })
  const { deliveries } = (await get(`${path}/deliveries`)).json()
  t.deepEqual(Object.keys(deliveries[0]).sort(), [
    ...['attempts', 'createdAt', 'event', 'failedReason', 'id', 'jobId', 'nextAttemptAt'],
    ...['status', 'test'],
  ])
  t.like(deliveries[0], { id: deliveryId, event: 'render.completed', test: true, attempts: [] })
  const again = `/api/webhooks/deliveries/${deliveryId}/redeliver`
  t.is((await post(again)).statusCode, 409)
  const attempt = { at: new Date().toISOString(), responseCode: 200, error: null, durationMs: 1 }
  await recordSuccess(gateway.db, { deliveryId, attempt })
  const redelivered = await post(again)
  t.is(redelivered.statusCode, 200)
  t.not(redelivered.json().deliveryId, deliveryId)
  const failing = await post(`${path}/test`, { event: 'render.failed' })
  t.is(failing.statusCode, 200)
  const log = (await get(`${path}/deliveries?pageSize=2`)).json()
  t.like(log, { page: 1, pageSize: 2, total: 3 })
  t.is(log.deliveries[0].event, 'render.failed')
  t.is((await post(`${path}/test`, { event: 'render.started' })).statusCode, 400)
})

test('a disabled endpoint takes no test', async (t) => {
  const { post, put } = await customer()
  const { id } = (await post('/api/webhooks', hook)).json()
  await put(`/api/webhooks/${id}`, { status: 'disabled' })
  const refused = await post(`/api/webhooks/${id}/test`)
  t.is(refused.statusCode, 409)
  t.regex(refused.json().message, /Got disabled/)
})

test('every fault of a body is named', async (t) => {
  const { post, put } = await customer()
  const reply = await post('/api/webhooks', {
    ...{ url: 'http://10.0.0.1/', events: ['x'], status: 'active', description: 'a\0b' },
  })
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual([...new Set(fields.sort())], ['description', 'events[0]', 'status', 'url'])
  t.is((await post('/api/webhooks', '{"url":')).statusCode, 400)
  const { id } = (await post('/api/webhooks', hook)).json()
  for (const change of [{ status: 'gone' }, { events: [] }, { url: 'https://' }, []]) {
    t.is((await put(`/api/webhooks/${id}`, change)).statusCode, 400, JSON.stringify(change))
  }
  const fenced = await put(`/api/webhooks/${id}`, { url: 'https://10.0.0.1/' })
  t.deepEqual([fenced.statusCode, fenced.json().code], [422, 'invalid_value'])
  const twice = { events: ['render.failed', 'render.failed'] }
  t.deepEqual((await put(`/api/webhooks/${id}`, twice)).json().events, ['render.failed'])
})

test('a job keeps its webhookUrl', async (t) => {
  const { post } = await customer()
  const webhookUrl = 'https://hooks.example.com/once?job=1'
  const reply = await post(renderPath, { ...requestOf(), webhookUrl })
  t.is(reply.statusCode, 202)
  const { webhook_url } = await gateway.db
    .selectFrom('jobs')
    .select('webhook_url')
    .where('id', '=', reply.json().jobId)
    .executeTakeFirstOrThrow()
  t.is(webhook_url, webhookUrl)
})

test('the URL rule holds for endpoints and for webhookUrl, row by row', async (t) => {
  const rows = readFileSync(new URL('../../core/project/hostile-urls.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
    // Addresses of a name are known only when it is dialled.
    .filter(([, context, , reason]) => context === 'webhook' && !reason?.includes('[dns:'))
  t.true(rows.length > 60)
  const shape = new RegExp(urlPattern, 'u')
  for (const [text, , expected, reason] of rows) {
    // A new customer for each: one account would exceed its rate limit.
    const { post, put } = await customer()
    const { id } = (await post('/api/webhooks', hook)).json()
    const url = JSON.parse(`"${text}"`)
    const isTaken = expected === 'accept'
    const label = `${text} (${reason})`
    // A URL that matches the published pattern is no fault of shape.
    const refusal = shape.test(url) ? 422 : 400
    t.is((await put(`/api/webhooks/${id}`, { url })).statusCode, isTaken ? 200 : refusal, label)
    const render = await post(renderPath, { ...requestOf(), webhookUrl: url })
    t.is(render.statusCode, isTaken ? 202 : refusal, label)
    if (!isTaken) t.is(render.json().details[0].field, 'webhookUrl', label)
  }
})

test('the routes and their bodies are described', async (t) => {
  const { paths } = (await gateway.server.inject('/openapi.json')).json()
  const body = paths['/api/webhooks'].post.requestBody.content['application/json'].schema
  t.deepEqual(Object.keys(body.properties), ['url', 'events', 'description'])
  t.truthy(paths['/api/webhooks/deliveries/{id}/redeliver'].post)
})

test('a job’s deliveries show, with its own callback, and can be resent', async (t) => {
  const { accountId, post, get } = await customer()
  const webhookUrl = 'https://hooks.example.com/once?job=1'
  const payload = { type: 'image', visuals: [] }
  const { jobId } = (await post(renderPath, { payload, webhookUrl })).json()
  const webhook = (await post('/api/webhooks', hook)).json()
  const path = `/api/jobs/${jobId}/deliveries`
  t.like((await get(path)).json(), { deliveries: [], total: 0 }, 'it has not ended')
  const sample = sampleHappening('render.completed', new Date().toISOString())
  await writeDeliveries(gateway.db, { accountId, happenings: [{ ...sample, jobId }] })
  const { deliveries, total } = (await get(path)).json() as { deliveries: Shown[]; total: number }
  t.is(total, 2)
  const callback = deliveries.find(({ webhookId }) => webhookId === null)
  t.like(callback, { jobId, url: webhookUrl, status: 'pending', attempts: [] })
  t.is(callback?.waiting, undefined, 'it is about to be sent')
  t.like(deliveries.find(({ webhookId }) => webhookId === webhook.id) ?? {}, { url: hook.url })
  const ended = { deliveryId: callback?.id ?? '', attempt: sent(500) }
  await recordFailure(gateway.db, { ...ended, delayMs: 30_000 })
  const waiting = ((await get(path)).json().deliveries as Shown[]).map((each) => each.waiting)
  t.true(
    waiting.some((text) =>
      /^Attempt 1 of 5 failed; the next attempt follows at 20/.test(text ?? ''),
    ),
  )
  await recordSuccess(gateway.db, { ...ended, attempt: sent(200) })
  t.true((await post(`/api/webhooks/deliveries/${ended.deliveryId}/redeliver`)).json().queued)
  t.is((await get(path)).json().total, 3)
  const stranger = await customer()
  t.is((await stranger.get(path)).statusCode, 404)
})

test('a delivery behind failing ones of its receiver says so', async (t) => {
  const { post, get } = await customer()
  const { id } = (await post('/api/webhooks', hook)).json()
  const { deliveryId } = (await post(`/api/webhooks/${id}/test`)).json()
  await recordFailure(gateway.db, { deliveryId, attempt: sent(500), delayMs: 30_000 })
  const later = (await post(`/api/webhooks/${id}/test`)).json()
  const { deliveries } = (await get(`/api/webhooks/${id}/deliveries`)).json()
  const shown = (deliveries as Shown[]).find((each) => each.id === later.deliveryId)
  t.regex(shown?.waiting ?? '', /^1 earlier deliveries to the same receiver failed/)
})

test('an address registered twice for the same events is warned of', async (t) => {
  const { accountId, post } = await customer()
  await setPlan(gateway.db, { accountId, plan: 'studio' })
  const first = (await post('/api/webhooks', hook)).json()
  t.false('warnings' in first)
  const other = (await post('/api/webhooks', { ...hook, events: ['render.failed'] })).json()
  t.false('warnings' in other, 'it takes other events')
  const twin = await post('/api/webhooks', { ...hook, url: 'https://HOOKS.example.com:443/farm' })
  t.is(twin.statusCode, 201)
  const [warning, ...more] = twin.json().warnings
  t.is(more.length, 0)
  t.like(warning, { field: 'url', code: 'url_registered_twice' })
  t.regex(warning.message, new RegExp(first.id))
})
