import { randomUUID } from 'node:crypto'
import test from 'ava'
import {
  createFarmClient,
  FarmApiError,
  type FarmClient,
  type RenderPayload,
} from '../../client/farm-client.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import { clientBehindTrouble } from './trouble.ts'

let gateway: Gateway
let address: string

test.before(async () => {
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

const payload: RenderPayload = {
  width: 320,
  height: 180,
  duration: 2,
  visuals: [{ type: 'TEXT', html: '<b>Hello {{ who }}</b>' }],
  variables: { who: 'you' },
}

async function newClient(credits?: number): Promise<FarmClient> {
  const { key } = await gateway.customer(credits)
  return createFarmClient({ url: address, apiKey: key })
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('a render can be validated, repaired, priced, submitted, found and cancelled', async (t) => {
  const farm = await newClient()
  const request = { payload, variables: { who: 'Ada' } }
  t.like(await farm.validate(request), { valid: true, creditsRequired: 2 })
  t.is((await farm.planFromExamples({ brief: 'a café menu' })).example.slug, 'price-list')
  t.like((await farm.repair({ ...payload, frameRate: 99 })).repaired, { frameRate: 60 })
  t.like(await farm.estimate(request), { creditsRequired: 2, exact: true, frames: 60 })
  const jobId = randomUUID()
  t.like(await farm.submit({ ...request, jobId }), { jobId, status: 'queued', creditsReserved: 2 })
  t.like(await farm.getJob(jobId), { id: jobId, state: 'queued', progress: 0 })
  await farm.submit({ payload: { type: 'image', visuals: [] } })
  t.is((await all(farm.listJobs())).length, 2)
  t.deepEqual(
    (await all(farm.listJobs({ type: 'video' }))).map(({ id }) => id),
    [jobId],
  )
  t.is((await farm.cancelJob(jobId)).state, 'cancelled')
  t.like(await farm.credits.balance(), { balance: 1000, reserved: 1 })
  t.deepEqual(
    (await all(farm.credits.transactions({ kind: 'release' }))).map((entry) => entry.jobId),
    [jobId],
  )
  t.like(await farm.credits.usage(7), { credits: 0 })
  t.is((await farm.profile()).plan.name, 'free')
})

test('a list is read over all its pages', async (t) => {
  const farm = await newClient()
  const still: RenderPayload = { type: 'image', visuals: [] }
  for (let n = 0; n < 3; n += 1) {
    await farm.submitBulk({ payload: still, items: Array.from({ length: 50 }, () => ({})) })
  }
  const jobs = await all(farm.listJobs({ type: 'image' }))
  t.is(new Set(jobs.map(({ id }) => id)).size, 150)
  t.is(jobs.length, 150)
  t.is((await all(farm.listBulks())).length, 3)
})

test('a refusal throws one error with status, code and every fault', async (t) => {
  const farm = await newClient(1)
  const wrong = { ...payload, width: -1, frameRate: 99 }
  const error = await t.throwsAsync(farm.submit({ payload: wrong }), { instanceOf: FarmApiError })
  t.like(error, { status: 400, code: 'invalid_request', retryAfter: null })
  t.is(error?.message, error?.detail)
  t.deepEqual(error?.errors.map(({ field, pointer }) => [field, pointer]).toSorted(), [
    ['frameRate', '/payload/frameRate'],
    ['width', '/payload/width'],
  ])
  const poor = await t.throwsAsync(farm.submit({ payload }), { instanceOf: FarmApiError })
  t.like(poor, { status: 402, problem: { creditsRequired: 2, creditsAvailable: 1 } })
  const gone = await t.throwsAsync(farm.getJob(randomUUID()), { instanceOf: FarmApiError })
  t.is(gone?.code, 'not_found')
  const stranger = createFarmClient({ url: address, apiKey: 'svc_0' })
  const unknown = await t.throwsAsync(stranger.profile(), { instanceOf: FarmApiError })
  t.like(unknown, { status: 401, code: 'unauthorized' })
})

test('an id that leads to another route is refused unsent', async (t) => {
  const sent: unknown[] = []
  const farm = createFarmClient({
    url: address,
    apiKey: 'svc_0',
    fetch: async (asked) => {
      sent.push(asked)
      return Response.json({})
    },
  })
  for (const id of ['', '.', '..']) {
    for (const ask of [
      () => farm.getJob(id),
      () => farm.quotes.render(id),
      () => farm.templates.delete(id),
      () => farm.authoring.content({ kind: 'examples', slug: id }),
      () => all(farm.webhooks.deliveries(id)),
    ]) {
      const error = await t.throwsAsync<FarmApiError>(ask, { instanceOf: FarmApiError })
      t.is(error?.code, 'invalid_request')
      t.is(error?.detail, `id must be an id. Got ${JSON.stringify(id)}`)
    }
  }
  t.deepEqual(sent, [])
  await farm.getJob('..a/$&')
  t.deepEqual(sent, [`${address}/api/jobs/..a%2F%24%26`])
})

test('templates are kept, changed, copied, previewed, rendered, archived and deleted', async (t) => {
  const { templates } = await newClient()
  const { id } = await templates.create({ name: 'Greeting', payload })
  t.is((await templates.change(id, { description: 'To say hello' })).description, 'To say hello')
  const copy = await templates.duplicate(id)
  t.is(copy.name, 'Greeting (copy)')
  t.deepEqual(
    (await all(templates.list())).map((each) => each.id),
    [copy.id, id],
  )
  t.deepEqual((await templates.get(id)).payload, payload)
  t.is((await templates.preview(id, { variables: { who: 'Bob' } })).creditsRequired, 2)
  t.is((await templates.render(id, { variables: { who: 'Bob' } })).creditsReserved, 2)
  t.true((await templates.archive(copy.id)).archived)
  t.deepEqual(
    (await all(templates.list({ archived: true }))).map((each) => each.id),
    [copy.id],
  )
  t.false((await templates.unarchive(copy.id)).archived)
  await templates.delete(id)
  await t.throwsAsync(templates.get(id), { instanceOf: FarmApiError, message: /with this id/ })
})

test('drafts are kept with their faults, changed, listed and deleted', async (t) => {
  const { projects } = await newClient()
  const { id, errors } = await projects.create({ name: 'Idea', payload: { width: 0 } })
  t.is(errors[0]?.field, 'width')
  t.like(await projects.change(id, { payload: { ...payload } }), { version: 2 })
  t.is((await projects.get(id)).name, 'Idea')
  t.deepEqual(
    (await all(projects.list({ search: 'idea' }))).map((each) => each.id),
    [id],
  )
  await projects.delete(id)
  await t.throwsAsync(projects.get(id), { instanceOf: FarmApiError, message: /with this id/ })
})

test('keys are made, renamed, counted and revoked', async (t) => {
  const { apiKeys } = await newClient()
  const { apiKey, key } = await apiKeys.create({ name: 'a program', scopes: ['jobs'] })
  t.is((await apiKeys.rename(apiKey.id, 'another')).name, 'another')
  t.deepEqual((await apiKeys.list()).map(({ name }) => name).toSorted(), ['another', 'test'])
  t.is((await apiKeys.stats(apiKey.id, 7)).jobs, 0)
  const limited = createFarmClient({ url: address, apiKey: key })
  const error = await t.throwsAsync(limited.submit({ payload }), { instanceOf: FarmApiError })
  t.is(error?.code, 'forbidden')
  await apiKeys.revoke(apiKey.id)
  t.is((await apiKeys.list()).length, 1)
})

test('webhook endpoints are registered, tested, looked at, changed and deleted', async (t) => {
  const { webhooks } = await newClient()
  const url = 'https://hooks.example.com/farm'
  const { id, secret } = await webhooks.create({ url, events: ['render.completed'] })
  t.regex(secret, /^whsec_/)
  t.not((await webhooks.rotateSecret(id)).secret, secret)
  const { deliveryId } = await webhooks.test(id, { event: 'render.failed' })
  const [delivery] = await all(webhooks.deliveries(id))
  t.like(delivery, { id: deliveryId, event: 'render.failed', test: true })
  t.is((await webhooks.change(id, { status: 'disabled' })).status, 'disabled')
  t.is((await webhooks.get(id)).status, 'disabled')
  t.deepEqual((await webhooks.list()).usage, { used: 1, limit: 1 })
  await webhooks.delete(id)
  t.is((await webhooks.list()).webhooks.length, 0)
})

test('a bulk queues its valid items and reports the others', async (t) => {
  const farm = await newClient()
  const square: RenderPayload = { type: 'image', width: '{{ edge }}', variables: { edge: 64 } }
  const items = [{ name: 'small', variables: { edge: 8 } }, { variables: { edge: -1 } }]
  const bulk = await farm.submitBulk({ payload: square, items })
  t.is(bulk.jobIds.length, 1)
  t.is(bulk.errors[0]?.index, 1)
  const counts: number[] = []
  const end = await farm.waitBulk(bulk.bulkId, {
    pollMs: 10,
    onProgress({ counts: { queued } }) {
      counts.push(queued)
      if (counts.length === 1) void farm.cancelBulk(bulk.bulkId)
    },
  })
  t.is(counts[0], 1)
  t.like(end, { state: 'finished', counts: { cancelled: 1 } })
  t.deepEqual(
    (await farm.bulkResults(bulk.bulkId)).map(({ index, state }) => [index, state]),
    [
      [0, 'cancelled'],
      [1, 'refused'],
    ],
  )
  t.regex(await farm.bulkResultsCsv(bulk.bulkId), /^"index","jobId","name",.*\r\n0,"/)
  t.is((await farm.getBulk(bulk.bulkId, { state: 'completed' })).total, 0)
  const none = farm.submitBulk({ payload: square, items: [{ variables: { edge: -1 } }] })
  const error = await t.throwsAsync(none, { instanceOf: FarmApiError })
  t.is(error?.itemErrors[0]?.details[0]?.field, 'width')
})

test('a new bulk is looked at long before the longest wait ends', async (t) => {
  const farm = await newClient()
  const { bulkId } = await farm.submitBulk({ payload, items: [{ name: 'one' }] })
  let looks = 0
  const end = await farm.waitBulk(bulkId, {
    ...{ pollMs: 20_000, timeoutMs: 15_000 },
    onProgress() {
      looks += 1
      if (looks === 1) void farm.cancelBulk(bulkId)
    },
  })
  t.is(end.state, 'finished')
})

test('a farm that is too busy is asked again when it says', async (t) => {
  const { farm, troubles, seen } = await clientBehindTrouble(t, gateway)
  troubles.push({ status: 429, headers: { 'retry-after': '1' } }, { status: 503 })
  t.is((await farm.profile()).plan.name, 'free')
  t.is(seen.length, 3)
  const patient = { headers: { 'retry-after': '3600' }, status: 429 }
  troubles.push(patient)
  const error = await t.throwsAsync(farm.profile(), { instanceOf: FarmApiError })
  t.like(error, { status: 429, retryAfter: 3600 })
})

test('the farm’s own limit says when to come again', async (t) => {
  const { key } = await gateway.customer()
  const farm = createFarmClient({ url: address, apiKey: key, retries: 0 })
  const error = await t.throwsAsync(
    async () => {
      for (;;) await farm.credits.balance()
    },
    { instanceOf: FarmApiError },
  )
  t.like(error, { status: 429, code: 'too_many_requests' })
  t.true(Number(error?.retryAfter) >= 1 && Number(error?.retryAfter) <= 60)
})

test('a submission whose answer is lost is sent again and done once', async (t) => {
  const { farm, troubles, seen } = await clientBehindTrouble(t, gateway)
  troubles.push('cut', 'lost')
  const { jobId } = await farm.submit({ payload })
  t.deepEqual(
    (await all(farm.listJobs())).map(({ id }) => id),
    [jobId],
  )
  const keys = seen.slice(0, 3).map(({ headers }) => headers['idempotency-key'])
  t.is(new Set(keys).size, 1)
  t.regex(String(keys[0]), /^[0-9a-f]{32}$/)
  const named = { idempotencyKey: 'order-7' }
  const twice = [await farm.submit({ payload }, named), await farm.submit({ payload }, named)]
  t.is(twice[0]?.jobId, twice[1]?.jobId)
  const { id } = await farm.templates.create({ name: 'Once', payload })
  troubles.push('lost')
  await farm.templates.delete(id)
  await t.throwsAsync(farm.templates.delete(id), { instanceOf: FarmApiError })
})

test('a permanent failure is not retried', async (t) => {
  const { farm, troubles, seen } = await clientBehindTrouble(t, gateway)
  troubles.push({ status: 500 })
  const error = await t.throwsAsync(farm.profile(), { instanceOf: FarmApiError })
  t.like(error, { status: 500, code: 'not_a_farm' })
  t.is(seen.length, 1)
  const away = createFarmClient({ url: 'http://127.0.0.1:9', apiKey: 'svc_0', retries: 0 })
  const lost = await t.throwsAsync(away.profile(), { instanceOf: FarmApiError })
  t.like(lost, { status: 0, code: 'unreachable' })
  t.throws(() => createFarmClient({ url: 'farm.example.com', apiKey: 'svc_0' }), {
    message: 'url must be an http(s) address, like https://farm.example.com. Got farm.example.com',
  })
  t.throws(() => createFarmClient({ url: address, apiKey: '' }), { message: /^apiKey must be/ })
})

test('a signal ends whatever is waited for, with its own reason', async (t) => {
  const { farm, troubles } = await clientBehindTrouble(t, gateway)
  troubles.push({ status: 503, headers: { 'retry-after': '60' } })
  const signal = AbortSignal.timeout(200)
  await t.throwsAsync(farm.profile({ signal }), { name: 'TimeoutError' })
  const { jobId } = await farm.submit({ payload })
  const end = new AbortController()
  const onProgress = () => end.abort(new Error('enough'))
  await t.throwsAsync(farm.wait(jobId, { onProgress, signal: end.signal }), { message: 'enough' })
  await t.throwsAsync(farm.wait(jobId, { timeoutMs: 200 }), { name: 'TimeoutError' })
  t.is((await farm.getJob(jobId)).state, 'queued')
})

test('a wait tells each state and ends with the job', async (t) => {
  const farm = await newClient()
  const { jobId } = await farm.submit({ payload })
  const states: string[] = []
  const job = await farm.wait(jobId, {
    onProgress({ state }) {
      states.push(state)
      if (states.length === 1) void farm.cancelJob(jobId)
    },
  })
  t.is(job.state, 'cancelled')
  t.deepEqual([...new Set(states)], ['queued', 'cancelled'])
  t.is((await farm.wait(jobId)).state, 'cancelled')
})
