import { randomUUID } from 'node:crypto'
import test from 'ava'
import { forgetDeliveries } from '../../../../store/db/webhooks/forget-deliveries.ts'
import { recordFailure, recordSuccess } from '../../../../store/db/webhooks/record-attempt.ts'
import {
  inFlightAlways,
  inFlightOfAccount,
  inFlightOfTarget,
  markDeliveriesStarted,
  openOfTarget,
  takeDeliveries,
} from '../../../../store/db/webhooks/take-deliveries.ts'
import { addAccount, startDatabase } from '../../database.ts'
import { attempt, webhookRows } from './webhook-rows.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
const { addDelivery, addWebhook, deliveriesOf } = webhookRows(db)

const take = (limit = 500, maxInFlight = 10_000) => takeDeliveries(db, { limit, maxInFlight })

/** Claims all that may start now, as the relay does, and marks it as started. */
async function startAll(): Promise<readonly string[]> {
  const taken: string[] = []
  for (let ids = await take(50); ids.length > 0; ids = await take(50)) {
    await markDeliveriesStarted(db, ids)
    taken.push(...ids)
  }
  return taken
}

async function addMany(webhook: Parameters<typeof addDelivery>[0], count: number) {
  return await Promise.all(Array.from({ length: count }, () => addDelivery(webhook)))
}

/** Fails their first attempts, so that they sleep until their second. */
async function putToSleep(ids: readonly string[]): Promise<void> {
  await Promise.all(
    ids.map((deliveryId) => recordFailure(db, { deliveryId, attempt, delayMs: 30_000 })),
  )
}

test.serial('first attempts in flight are limited for endpoints and accounts', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const busy = await addAccount(db)
  const hooks = await Promise.all(Array.from({ length: 4 }, () => addWebhook(busy)))
  for (const hook of hooks) await addMany(hook, inFlightOfTarget + 10)
  const quiet = await addWebhook(await addAccount(db))
  const last = await addDelivery(quiet)
  const first = await take(5)
  t.true(first.includes(last), 'the least busy endpoint comes first')
  const rest = await Promise.all([1, 2, 3].map(() => take()))
  const taken = [...first, ...rest.flat()]
  t.is(new Set(taken).size, taken.length, 'none is taken twice')
  t.is(taken.length, inFlightOfAccount + 1)
  const rows = await deliveriesOf(busy)
  for (const { webhookId } of hooks) {
    const own = rows.filter((row) => row.webhook_id === webhookId)
    const open = own.filter(({ id }) => taken.includes(id))
    t.true(open.length <= inFlightOfTarget)
    t.deepEqual(open, own.slice(0, open.length), 'the oldest ones')
  }
  await markDeliveriesStarted(db, taken)
  t.deepEqual(await take(), [])
  const [ended = ''] = taken.filter((id) => id !== last)
  await recordSuccess(db, { deliveryId: ended, attempt })
  t.is((await take()).length, 1)
})

test.serial('deliveries that sleep before a retry hold no place of another endpoint', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const account = await addAccount(db)
  const dead = await Promise.all(Array.from({ length: 10 }, () => addWebhook(account)))
  for (const hook of dead) await addMany(hook, openOfTarget + 5)
  for (let turn = 0; turn < 10; turn += 1) await putToSleep(await startAll())
  const asleep = (await deliveriesOf(account)).filter(({ attempts }) => attempts.length > 0)
  t.is(asleep.length, dead.length * openOfTarget, 'a dead endpoint has its twenty oldest open')
  const healthy = await addMany(await addWebhook(account), inFlightOfTarget)
  t.deepEqual((await startAll()).toSorted(), healthy.toSorted())
})

test.serial('an endpoint with nothing in flight goes although others hang', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const account = await addAccount(db)
  const hanging = await Promise.all(Array.from({ length: 50 }, () => addWebhook(account)))
  for (const hook of hanging) await addMany(hook, 3)
  t.is((await startAll()).length, 50 * inFlightAlways)
  const healthy = await addDelivery(await addWebhook(account))
  t.deepEqual(await startAll(), [healthy])
})

test.serial('callbacks of one host are distinguished by address, without the query', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const accountId = await addAccount(db)
  const addCallback = async (path: string) => {
    const row = { ...{ account_id: accountId, target: 'hooks.example.com', body: '{}' } }
    const url = `https://hooks.example.com/${path}`
    const event = 'render.completed' as const
    const made = { ...row, url, event, job_id: randomUUID() }
    const insert = db.insertInto('webhook_deliveries').values(made as never)
    return (await insert.returning('id').executeTakeFirstOrThrow()).id
  }
  for (let job = 0; job < openOfTarget + 5; job += 1) await addCallback(`dead?job=${job}`)
  await putToSleep(await startAll())
  t.deepEqual(await startAll(), [])
  const healthy = await addCallback('healthy')
  t.deepEqual(await startAll(), [healthy])
})

test.serial('a test event is not held up by its endpoint’s failing deliveries', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const webhook = await addWebhook(await addAccount(db))
  const ids = await addMany(webhook, openOfTarget + 5)
  await db.updateTable('webhook_deliveries').set({ test: false }).where('id', 'in', ids).execute()
  await putToSleep(await startAll())
  const test = await addDelivery(webhook)
  t.deepEqual(await startAll(), [test])
})

test.serial('no more start than the farm attempts at once, accounts in turn', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const crowd = await addAccount(db)
  for (const hook of await Promise.all([1, 2, 3, 4].map(() => addWebhook(crowd)))) {
    await addMany(hook, 5)
  }
  const other = await addDelivery(await addWebhook(await addAccount(db)))
  const taken = await take(50, 3)
  t.is(taken.length, 3)
  t.true(taken.includes(other), 'the least busy account comes first')
  t.deepEqual(await take(50, 3), [])
})

test.serial('a delivery with an expired claim or lost workflow is taken again', async (t) => {
  await db.deleteFrom('webhook_deliveries').execute()
  const id = await addDelivery(await addWebhook(await addAccount(db)))
  const back = (column: 'claimed_until' | 'started_at' | 'next_attempt_at', minutes: number) =>
    db
      .updateTable('webhook_deliveries')
      .set({ [column]: new Date(Date.now() - minutes * 60_000) })
      .where('id', '=', id)
      .execute()
  t.deepEqual(await take(9), [id])
  t.deepEqual(await take(9), [])
  await back('claimed_until', 1)
  t.deepEqual(await take(9), [id])
  await markDeliveriesStarted(db, [id])
  await back('next_attempt_at', 11)
  t.deepEqual(await take(9), [])
  await back('started_at', 11)
  t.deepEqual(await take(9), [id])
})

test.serial('old ended deliveries are removed, pending ones never', async (t) => {
  const webhook = await addWebhook(await addAccount(db))
  const ended = await addDelivery(webhook)
  await addDelivery(webhook)
  await recordSuccess(db, { deliveryId: ended, attempt })
  await db
    .updateTable('webhook_deliveries')
    .set({ created_at: new Date(Date.now() - 31 * 24 * 3_600_000) } as never)
    .where('account_id', '=', webhook.accountId)
    .execute()
  t.is(await forgetDeliveries(db, { days: 30, limit: 100 }), 1)
  t.is((await deliveriesOf(webhook.accountId)).length, 1)
})
