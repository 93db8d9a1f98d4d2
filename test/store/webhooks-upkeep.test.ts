import test from 'ava'
import { forgetDeliveries } from '../../store/db/statements/forget-deliveries.ts'
import { recordSuccess } from '../../store/db/statements/record-attempt.ts'
import {
  markDeliveriesStarted,
  openOfAccount,
  openOfTarget,
  takeDeliveries,
} from '../../store/db/statements/take-deliveries.ts'
import { addAccount, startDatabase } from './database.ts'
import { attempt, webhookRows } from './webhook-rows.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
const { addDelivery, addWebhook, deliveriesOf } = webhookRows(db)

test.serial(
  'an endpoint, and an account, have so many workflows at most; others wait for nothing',
  async (t) => {
    await db.deleteFrom('webhook_deliveries').execute()
    const busy = await addAccount(db)
    const hooks = await Promise.all(Array.from({ length: 4 }, () => addWebhook(busy)))
    for (const hook of hooks) {
      await Promise.all(Array.from({ length: openOfTarget + 10 }, () => addDelivery(hook)))
    }
    const quiet = await addWebhook(await addAccount(db))
    const last = await addDelivery(quiet)
    const first = await takeDeliveries(db, { limit: 5 })
    t.true(first.includes(last), 'the least busy endpoint comes first')
    const rest = await Promise.all([1, 2, 3].map(() => takeDeliveries(db, { limit: 500 })))
    const taken = [...first, ...rest.flat()]
    t.is(new Set(taken).size, taken.length, 'none is taken twice')
    t.is(taken.length, openOfAccount + 1)
    const rows = await deliveriesOf(busy)
    for (const { webhookId } of hooks) {
      const own = rows.filter((row) => row.webhook_id === webhookId)
      const open = own.filter(({ id }) => taken.includes(id))
      t.true(open.length <= openOfTarget)
      t.deepEqual(open, own.slice(0, open.length), 'the oldest ones')
    }
    await markDeliveriesStarted(db, taken)
    t.deepEqual(await takeDeliveries(db, { limit: 500 }), [])
    const [ended = ''] = taken.filter((id) => id !== last)
    await recordSuccess(db, { deliveryId: ended, attempt })
    t.is((await takeDeliveries(db, { limit: 500 })).length, 1)
  },
)

test.serial(
  'a delivery whose claim ran out, or whose workflow is lost, is taken again',
  async (t) => {
    await db.deleteFrom('webhook_deliveries').execute()
    const id = await addDelivery(await addWebhook(await addAccount(db)))
    const back = (column: 'claimed_until' | 'started_at' | 'next_attempt_at', minutes: number) =>
      db
        .updateTable('webhook_deliveries')
        .set({ [column]: new Date(Date.now() - minutes * 60_000) })
        .where('id', '=', id)
        .execute()
    t.deepEqual(await takeDeliveries(db, { limit: 9 }), [id])
    t.deepEqual(await takeDeliveries(db, { limit: 9 }), [])
    await back('claimed_until', 1)
    t.deepEqual(await takeDeliveries(db, { limit: 9 }), [id])
    await markDeliveriesStarted(db, [id])
    await back('next_attempt_at', 11)
    t.deepEqual(await takeDeliveries(db, { limit: 9 }), [])
    await back('started_at', 11)
    t.deepEqual(await takeDeliveries(db, { limit: 9 }), [id])
  },
)

test.serial('what ended long ago is forgotten, what waits never', async (t) => {
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
