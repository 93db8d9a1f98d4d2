import { randomUUID } from 'node:crypto'
import test from 'ava'
import { verifyWebhook } from '../../../client/webhooks.ts'
import { sealedAs } from '../../../core/webhooks/endpoint.ts'
import { sampleHappening, type WebhookEvent } from '../../../core/webhooks/envelope.ts'
import { disabledAfter } from '../../../core/webhooks/schedule.ts'
import { seal } from '../../../runtime/seal.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { listDeliveries } from '../../../store/db/webhooks/list-deliveries.ts'
import { getWebhook } from '../../../store/db/webhooks/list-webhooks.ts'
import { orderRedelivery, orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { rotateWebhookSecret } from '../../../store/db/webhooks/rotate-webhook-secret.ts'
import { openOfTarget } from '../../../store/db/webhooks/take-deliveries.ts'
import { updateWebhook } from '../../../store/db/webhooks/update-webhook.ts'
import { addAccount } from '../../store/database.ts'
import { startPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'
import { type Receiver, startReceiver, until } from './receiver.ts'

const retryDelaysMs = [300, 500, 700, 900]
let parts: Parts
let receiver: Receiver

test.before(async () => {
  receiver = await startReceiver()
  parts = await startParts({ trustedHosts: [receiver.host], retryDelaysMs })
})
test.after.always(async () => {
  receiver?.release()
  await parts?.stop()
  await receiver?.stop()
})

const secretOf = (letter: string) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`

async function addWebhook(path: string, events: WebhookEvent[] = ['render.completed']) {
  const accountId = await addAccount(parts.db)
  const id = randomUUID()
  const secret = secretOf('a')
  const sealed = seal(parts.config.sealKeys, secret, sealedAs(id))
  const made = { id, accountId, url: receiver.at(path), events, description: '', secret: sealed }
  await createWebhook(parts.db, made, { limit: 1 })
  return { accountId, webhookId: id, secret }
}

type Webhook = { readonly accountId: string; readonly webhookId: string }

async function sendTest(webhook: Webhook): Promise<string> {
  const happening = sampleHappening('render.completed', new Date().toISOString())
  const id = await orderTestDelivery(parts.db, { ...webhook, happening })
  if (id === undefined) throw new Error('No test was ordered')
  return id
}

async function logOf(webhook: Webhook) {
  return (await listDeliveries(parts.db, { ...webhook, page: 1, pageSize: 100 })).deliveries
}

async function ended(webhook: Webhook, id: string) {
  const find = async () => (await logOf(webhook)).find((each) => each.id === id)
  await until(async () => (await find())?.status !== 'pending', `the end of ${id}`)
  const found = await find()
  if (!found) throw new Error(`${id} is not in the log`)
  return found
}

const receivedOf = (id: string) => receiver.all.filter(({ deliveryId }) => deliveryId === id)

test('a delivery arrives once, signed, and its log says so', async (t) => {
  const { secret, ...webhook } = await addWebhook('/ok')
  const id = await sendTest(webhook)
  const delivery = await ended(webhook, id)
  t.like(delivery, { status: 'succeeded', nextAttemptAt: null })
  t.is(delivery.attempts.length, 1)
  t.like(delivery.attempts[0], { responseCode: 200, error: null })
  const [request, ...more] = receivedOf(id)
  t.is(more.length, 0)
  if (!request) return t.fail('nothing came')
  const verified = await verifyWebhook({ ...request, secret })
  t.is(verified.deliveryId, id)
  t.like(verified.read(), { event: 'render.completed', test: true })
  t.is(request.headers['x-service-event'], 'render.completed')
  t.is(request.headers['x-service-job-id'], verified.read().jobId)
  t.is(request.headers['webhook-id'], id)
})

test('failures get five attempts: one id, one body, fresh times, never early', async (t) => {
  const { secret, ...webhook } = await addWebhook('/fail')
  const id = await sendTest(webhook)
  const delivery = await ended(webhook, id)
  t.is(delivery.status, 'failed')
  t.deepEqual(
    delivery.attempts.map(({ responseCode }) => responseCode),
    [500, 500, 500, 500, 500],
  )
  t.is((await getWebhook(parts.db, webhook))?.exhaustedInRow, 1)
  const requests = receivedOf(id)
  t.is(requests.length, 5)
  for (const [i, request] of requests.entries()) {
    t.deepEqual(request.body, requests[0]?.body)
    const now = request.beganAt
    t.is((await verifyWebhook({ ...request, secret, now, toleranceSeconds: 2 })).deliveryId, id)
    const before = requests[i - 1]
    if (before) t.true(request.beganAt - before.endedAt >= (retryDelaysMs[i - 1] ?? 0))
  }
  const stamps = requests.map(({ headers }) => headers['x-service-timestamp'])
  t.true(new Set(stamps).size > 1)
})

test('a job tells its endpoints, signed, and its own webhookUrl, unsigned', async (t) => {
  const { secret, ...webhook } = await addWebhook('/ok', ['render.completed', 'render.failed'])
  const node = await startPaperNode(parts)
  t.teardown(node.stop)
  const still = { type: 'image', width: 20, height: 20, outputFormat: 'png', visuals: [] }
  const once = { webhookUrl: receiver.at('/once') }
  const jobId = await parts.submit(webhook.accountId, still, once)
  const job = await parts.waitUntil(webhook.accountId, jobId)
  t.is(job.state, 'completed', JSON.stringify(job.error))
  const ofJob = () => receiver.all.filter(({ headers }) => headers['x-service-job-id'] === jobId)
  await until(() => ofJob().length === 2, 'both deliveries')
  const [signed] = ofJob().filter(({ path }) => path === '/ok')
  const [unsigned] = ofJob().filter(({ path }) => path === '/once')
  if (!signed || !unsigned) return t.fail('one is missing')
  const told = (await verifyWebhook({ ...signed, secret })).read()
  t.like(told, {
    event: 'render.completed',
    jobId,
    data: { status: 'completed', templateId: null },
  })
  if (told.event === 'render.completed') {
    t.regex(told.data.url, /^http:\/\/127\.0\.0\.1:1\/objects\/.*signature=/)
    t.is(told.data.creditsCharged, job.creditsCharged)
  }
  t.deepEqual(unsigned.body, signed.body)
  t.not(unsigned.deliveryId, signed.deliveryId)
  t.false('x-service-signature' in unsigned.headers)
  t.false('webhook-signature' in unsigned.headers)
  t.is(unsigned.headers['x-service-event'], 'render.completed')
})

test('a dead endpoint delays no other and holds only its share', async (t) => {
  const { secret: _, ...dead } = await addWebhook('/dead')
  for (let i = 0; i < 3 * openOfTarget; i += 1) await sendTest(dead)
  await until(() => receiver.mostOpen() === openOfTarget, 'the dead endpoint holds all it may')
  const { secret, ...other } = await addWebhook('/ok')
  const id = await sendTest(other)
  t.is((await ended(other, id)).status, 'succeeded')
  const log = await logOf(dead)
  t.is(log.length, 3 * openOfTarget)
  t.true(log.every(({ status }) => status === 'pending'))
  t.is(receiver.mostOpen(), openOfTarget)
})

test('a failing endpoint is disabled by delivery twenty and gets no more', async (t) => {
  const { secret: _, ...webhook } = await addWebhook('/fail')
  for (let i = 0; i < disabledAfter + 15; i += 1) await sendTest(webhook)
  const isOver = async () => (await logOf(webhook)).every(({ status }) => status === 'failed')
  await until(isOver, 'the end of all')
  t.like(await getWebhook(parts.db, webhook), { status: 'disabled', exhaustedInRow: disabledAfter })
  const log = await logOf(webhook)
  t.is(log.filter(({ attempts }) => attempts.length === 5).length >= disabledAfter, true)
  const unsent = log.filter(({ failedReason }) => failedReason === 'The endpoint was disabled')
  t.true(unsent.length > 0)
  t.true(log.every(({ id, attempts }) => receivedOf(id).length === attempts.length))
})

test('a waiting retry is not sent to an endpoint disabled since', async (t) => {
  const { secret: _, ...webhook } = await addWebhook('/fail')
  const id = await sendTest(webhook)
  await until(() => receivedOf(id).length === 1, 'the first attempt')
  await updateWebhook(parts.db, { ...webhook, change: { status: 'disabled' } })
  await updateWebhook(parts.db, {
    ...webhook,
    change: { status: 'active', url: receiver.at('/ok') },
  })
  // A later one shows that the queue went on.
  await ended(webhook, await sendTest(webhook))
  t.like(await ended(webhook, id), { status: 'failed' })
  t.true(receivedOf(id).length <= 2)
  t.true(receivedOf(id).every(({ path }) => path === '/fail'))
})

test('either secret verifies a delivery while the secret is rotated', async (t) => {
  const { secret, ...webhook } = await addWebhook('/fail')
  const next = secretOf('b')
  const sealed = seal(parts.config.sealKeys, next, sealedAs(webhook.webhookId))
  await rotateWebhookSecret(parts.db, { ...webhook, secret: sealed })
  const id = await sendTest(webhook)
  await until(() => receivedOf(id).length >= 2, 'two attempts')
  const [first, second] = receivedOf(id)
  if (!first || !second) return t.fail()
  t.is((await verifyWebhook({ ...first, secret: next })).deliveryId, id)
  t.is((await verifyWebhook({ ...second, secret })).deliveryId, id)
  for (const { headers } of [first, second]) {
    t.is(String(headers['webhook-signature']).split(' ').length, 2)
  }
})

test('a redelivery has the same bytes under an id of its own', async (t) => {
  const { secret, ...webhook } = await addWebhook('/ok')
  const deliveryId = await sendTest(webhook)
  await ended(webhook, deliveryId)
  const again = await orderRedelivery(parts.db, { ...webhook, deliveryId })
  const id = again?.id ?? ''
  t.is((await ended(webhook, id)).status, 'succeeded')
  const [first, second] = [...receivedOf(deliveryId), ...receivedOf(id)]
  t.deepEqual(second?.body, first?.body)
  if (second) t.is((await verifyWebhook({ ...second, secret })).deliveryId, id)
})
