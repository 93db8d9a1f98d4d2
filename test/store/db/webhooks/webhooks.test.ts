import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sampleHappening } from '../../../../core/webhooks/envelope.ts'
import { disabledAfter } from '../../../../core/webhooks/schedule.ts'
import { cancelJob } from '../../../../store/db/jobs/cancel-job.ts'
import { insertJobWithHold } from '../../../../store/db/jobs/insert-job-with-hold.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { createWebhook } from '../../../../store/db/webhooks/create-webhook.ts'
import { deleteWebhook } from '../../../../store/db/webhooks/delete-webhook.ts'
import { getDueDelivery } from '../../../../store/db/webhooks/get-due-delivery.ts'
import { listDeliveries } from '../../../../store/db/webhooks/list-deliveries.ts'
import { getWebhook } from '../../../../store/db/webhooks/list-webhooks.ts'
import { orderRedelivery, orderTestDelivery } from '../../../../store/db/webhooks/order-delivery.ts'
import {
  endDisabledDelivery,
  recordExhaustion,
  recordFailure,
  recordSuccess,
} from '../../../../store/db/webhooks/record-attempt.ts'
import { rotateWebhookSecret } from '../../../../store/db/webhooks/rotate-webhook-secret.ts'
import { takeDeliveries } from '../../../../store/db/webhooks/take-deliveries.ts'
import { updateWebhook } from '../../../../store/db/webhooks/update-webhook.ts'
import { addAccount, addJob, startDatabase } from '../../database.ts'
import { enterStage } from '../jobs/one-job.ts'
import { attempt, webhookRows } from './webhook-rows.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
const { addDelivery, addWebhook, deliveriesOf } = webhookRows(db)

const completed = {
  to: 'completed',
  result: { duration: 1.5, size: 10, width: 320, height: 180, format: 'mp4' },
  ...{ outputKey: 'accounts/a/film', thumbnailKey: null },
  links: { url: 'https://farm.example.com/o', thumbnailUrl: 'https://farm.example.com/t' },
} as const
const failed = {
  to: 'failed',
  error: { code: 'media_invalid', message: 'The picture is broken.', details: [] },
} as const

async function endJob(
  accountId: string,
  settlement: Parameters<typeof settleJob>[1]['settlement'],
) {
  const jobId = await addJob(db, accountId)
  for (const stage of ['resolve', 'plan', 'render'] as const) {
    await enterStage(db, { accountId, jobId, stage })
  }
  await settleJob(db, { accountId, jobId, reason: '', settlement })
  return jobId
}

test('a finished job writes each active endpoint wanting it one delivery, once', async (t) => {
  const accountId = await addAccount(db)
  const both = await addWebhook(accountId, ['render.completed', 'render.failed'])
  const one = await addWebhook(accountId)
  await addWebhook(accountId, ['render.failed'])
  const off = await addWebhook(accountId)
  await updateWebhook(db, { ...off, change: { status: 'disabled' } })
  await addWebhook(await addAccount(db))
  const jobId = await endJob(accountId, completed)
  await settleJob(db, { accountId, jobId, reason: '', settlement: completed })
  const written = await deliveriesOf(accountId)
  t.deepEqual(written.map((each) => each.webhook_id).sort(), [both.webhookId, one.webhookId].sort())
  const [first, second] = written
  t.is(first?.body, second?.body)
  const { timestamp, ...envelope } = JSON.parse(first?.body ?? '')
  t.is(new Date(timestamp).toISOString(), timestamp)
  t.deepEqual(envelope, {
    ...{ event: 'render.completed', jobId },
    data: {
      status: 'completed',
      ...completed.links,
      ...{ duration: 1.5, size: 10, creditsCharged: 10, templateId: null },
    },
  })
})

test('a failed job tells why; a cancelled one tells nothing', async (t) => {
  const accountId = await addAccount(db)
  await addWebhook(accountId, ['render.completed', 'render.failed'])
  const jobId = await endJob(accountId, failed)
  const [written] = await deliveriesOf(accountId)
  t.like(JSON.parse(written?.body ?? ''), {
    ...{ event: 'render.failed', jobId },
    data: { status: 'failed', error: failed.error, creditsCharged: 0 },
  })
  const cancelled = await addJob(db, accountId)
  await cancelJob(db, { accountId, jobId: cancelled, reason: '' })
  t.is((await deliveriesOf(accountId)).length, 1)
})

test('a job’s own callback stands beside the endpoints, without one of them', async (t) => {
  const accountId = await addAccount(db)
  const { webhookId } = await addWebhook(accountId, ['render.failed'])
  const id = randomUUID()
  const webhookUrl = 'https://hooks.example.com/x?job=1'
  const job = { id, accountId, type: 'image', name: '', request: {}, credits: 1 } as const
  await insertJobWithHold(db, { ...job, webhookUrl })
  await settleJob(db, { accountId, jobId: id, reason: '', settlement: failed })
  const written = await deliveriesOf(accountId)
  t.deepEqual(
    written.map((each) => [each.webhook_id, each.url, each.target]).sort(),
    [
      [null, webhookUrl, 'hooks.example.com'],
      [webhookId, null, webhookId],
    ].sort(),
  )
  const callback = written.find(({ url }) => url !== null)
  t.like(await getDueDelivery(db, callback?.id ?? ''), { url: webhookUrl, endpoint: null })
})

test('a settlement that is undone leaves no delivery', async (t) => {
  const accountId = await addAccount(db)
  await addWebhook(accountId, ['render.failed'])
  const jobId = await addJob(db, accountId)
  const undone = db.transaction().execute(async (tx) => {
    await settleJob(tx, { accountId, jobId, reason: '', settlement: failed })
    throw new Error('undone')
  })
  await t.throwsAsync(undone, { message: 'undone' })
  t.deepEqual(await deliveriesOf(accountId), [])
})

test('an endpoint is disabled at exactly twenty exhausted deliveries in a row', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  for (let n = 1; n <= disabledAfter; n += 1) {
    t.like(await getWebhook(db, webhook), { status: 'active', exhaustedInRow: n - 1 })
    await recordExhaustion(db, { deliveryId: await addDelivery(webhook), attempt })
  }
  t.like(await getWebhook(db, webhook), { status: 'disabled', exhaustedInRow: disabledAfter })
})

test('attempts on a disabled endpoint are logged and never followed', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const ids = [await addDelivery(webhook), await addDelivery(webhook)]
  await updateWebhook(db, { ...webhook, change: { status: 'disabled' } })
  const [failed = '', exhausted = ''] = ids
  for (let said = 0; said < 2; said += 1) {
    await recordFailure(db, { deliveryId: failed, attempt, delayMs: 1000 })
    await recordExhaustion(db, { deliveryId: exhausted, attempt })
  }
  const log = await db.selectFrom('webhook_deliveries').selectAll().where('id', 'in', ids).execute()
  for (const delivery of log) {
    t.like(delivery, { status: 'failed', next_attempt_at: null })
    t.is(delivery.failed_reason, 'The endpoint was disabled')
    t.is(delivery.attempts.length, 1)
  }
  t.like(await getWebhook(db, webhook), { status: 'disabled', exhaustedInRow: 0 })
})

test('a success between starts the count again, and so does enabling', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const exhaust = async () =>
    recordExhaustion(db, { deliveryId: await addDelivery(webhook), attempt })
  for (let n = 1; n < disabledAfter; n += 1) await exhaust()
  const taken = { ...attempt, responseCode: 200, error: null }
  await recordSuccess(db, { deliveryId: await addDelivery(webhook), attempt: taken })
  t.like(await getWebhook(db, webhook), { status: 'active', exhaustedInRow: 0 })
  for (let n = 1; n < disabledAfter; n += 1) await exhaust()
  t.is((await getWebhook(db, webhook))?.status, 'active')
  await exhaust()
  t.is((await getWebhook(db, webhook))?.status, 'disabled')
  await updateWebhook(db, { ...webhook, change: { status: 'active' } })
  t.like(await getWebhook(db, webhook), { status: 'active', exhaustedInRow: 0 })
  await exhaust()
  await updateWebhook(db, { ...webhook, change: { status: 'active', description: 'x' } })
  t.like(await getWebhook(db, webhook), { status: 'active', exhaustedInRow: 1 })
})

test('the twentieth stays the twentieth at parallel ends, and each counts once', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const webhook = await addWebhook(await addAccount(db))
    const ids = await Promise.all(Array.from({ length: 40 }, () => addDelivery(webhook)))
    const nineteen = ids.slice(0, disabledAfter - 1)
    // Each is recorded twice, as by a repeated activity.
    await Promise.all(
      [...nineteen, ...nineteen].map((deliveryId) => recordExhaustion(db, { deliveryId, attempt })),
    )
    t.like(await getWebhook(db, webhook), { status: 'active', exhaustedInRow: 19 })
    await Promise.all(
      ids
        .slice(disabledAfter - 1)
        .map((deliveryId) => recordExhaustion(db, { deliveryId, attempt })),
    )
    t.like(await getWebhook(db, webhook), { status: 'disabled', exhaustedInRow: 20 })
    const states = await deliveriesOf(webhook.accountId)
    t.true(states.every(({ status }) => status === 'failed'))
    t.is(
      (await takeDeliveries(db, { limit: 100, maxInFlight: 1000 })).filter((id) => ids.includes(id))
        .length,
      0,
    )
  }
})

test('a disabled endpoint gets nothing more, deliveries on their way included', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const waiting = await addDelivery(webhook)
  const running = await addDelivery(webhook)
  await updateWebhook(db, { ...webhook, change: { status: 'disabled' } })
  t.is(await getDueDelivery(db, waiting), undefined)
  const { deliveries } = await listDeliveries(db, { ...webhook, page: 1, pageSize: 10 })
  t.true(deliveries.every(({ failedReason }) => failedReason === 'The endpoint was disabled'))
  t.is(
    await orderTestDelivery(db, { ...webhook, happening: sampleHappening('render.failed', '') }),
    undefined,
  )
  t.deepEqual(await orderRedelivery(db, { ...webhook, deliveryId: waiting }), {
    id: null,
    status: 'failed',
  })
  await updateWebhook(db, { ...webhook, change: { status: 'active' } })
  t.is(await getDueDelivery(db, running), undefined)
  // A delivery accepted at that very moment counts as accepted.
  await recordSuccess(db, { deliveryId: running, attempt })
  const after = await listDeliveries(db, { ...webhook, page: 1, pageSize: 10 })
  t.like(
    after.deliveries.find(({ id }) => id === running),
    {
      ...{ status: 'succeeded', failedReason: null },
    },
  )
})

test('a delivery coming up for a disabled endpoint is ended, not counted', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const deliveryId = await addDelivery(webhook)
  await db
    .updateTable('webhooks')
    .set({ status: 'disabled' })
    .where('id', '=', webhook.webhookId)
    .execute()
  t.is((await getDueDelivery(db, deliveryId))?.endpoint?.isDisabled, true)
  await endDisabledDelivery(db, deliveryId)
  t.is(await getDueDelivery(db, deliveryId), undefined)
  t.is((await getWebhook(db, webhook))?.exhaustedInRow, 0)
})

test('a failed attempt is kept with the earliest moment of the next', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const deliveryId = await addDelivery(webhook)
  t.like(await getDueDelivery(db, deliveryId), { waitMs: 0, failedAttempts: 0 })
  await recordFailure(db, { deliveryId, attempt, delayMs: 30_000 })
  const due = await getDueDelivery(db, deliveryId)
  t.is(due?.failedAttempts, 1)
  t.true((due?.waitMs ?? 0) > 20_000 && (due?.waitMs ?? 0) <= 30_000)
  const { deliveries } = await listDeliveries(db, { ...webhook, page: 1, pageSize: 10 })
  t.like(deliveries[0], { status: 'pending', attempts: [attempt] })
  t.true((deliveries[0]?.nextAttemptAt?.getTime() ?? 0) > Date.now() + 20_000)
})

test('a redelivery is new with the same bytes, after the first ended', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const deliveryId = await addDelivery(webhook)
  t.deepEqual(await orderRedelivery(db, { ...webhook, deliveryId }), {
    id: null,
    status: 'pending',
  })
  await recordSuccess(db, { deliveryId, attempt: { ...attempt, responseCode: 200, error: null } })
  const again = await orderRedelivery(db, { ...webhook, deliveryId })
  const [first, second] = await deliveriesOf(webhook.accountId)
  t.is(second?.id, again?.id ?? '')
  t.is(second?.body, first?.body)
  t.like(second, { status: 'pending', attempts: [], test: true })
  const stranger = { accountId: await addAccount(db), deliveryId }
  t.is(await orderRedelivery(db, stranger), undefined)
})

test('after a rotation both secrets sign for a day, the newest first', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const deliveryId = await addDelivery(webhook)
  const secrets = async () => (await getDueDelivery(db, deliveryId))?.endpoint?.secrets
  t.deepEqual(await secrets(), ['sealed'])
  await rotateWebhookSecret(db, { ...webhook, secret: 'second' })
  t.deepEqual(await secrets(), ['second', 'sealed'])
  const { previousSecretUntil } = (await getWebhook(db, webhook)) ?? {}
  const hours = ((previousSecretUntil?.getTime() ?? 0) - Date.now()) / 3_600_000
  t.true(hours > 23.9 && hours <= 24.1)
  await db
    .updateTable('webhooks')
    .set({ previous_secret_until: new Date(Date.now() - 1000) })
    .where('id', '=', webhook.webhookId)
    .execute()
  t.deepEqual(await secrets(), ['second'])
  t.is((await getWebhook(db, webhook))?.previousSecretUntil, null)
})

test('a plan’s number of endpoints holds when all are made at once', async (t) => {
  const accountId = await addAccount(db)
  const made = await Promise.all(
    Array.from({ length: 20 }, () => {
      const webhook = { id: randomUUID(), accountId, url: 'https://example.com/', description: '' }
      return createWebhook(db, { ...webhook, events: ['render.failed'], secret: '' }, { limit: 3 })
    }),
  )
  t.is(made.filter(Boolean).length, 3)
})

test('a removed endpoint takes its deliveries along, even while they end', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const ids = await Promise.all(Array.from({ length: 30 }, () => addDelivery(webhook)))
  const [deleted] = await Promise.all([
    deleteWebhook(db, webhook),
    ...ids.map((deliveryId) => recordExhaustion(db, { deliveryId, attempt })),
  ])
  t.true(deleted)
  t.deepEqual(await deliveriesOf(webhook.accountId), [])
  t.false(await deleteWebhook(db, webhook))
})
