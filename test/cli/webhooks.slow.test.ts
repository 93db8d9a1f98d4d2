import test from 'ava'
import { recordFailure } from '../../store/db/webhooks/record-attempt.ts'
import { addAccount, startDatabase } from '../store/database.ts'
import { attempt, webhookRows } from '../store/db/webhooks/webhook-rows.ts'
import { farm } from './run-farm.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)
const { addDelivery, addWebhook } = webhookRows(db)
const env = { DATABASE_URL: url, FARM_OPERATOR: 'ada' }
const why = ['--why', 'a test']

async function json(...args: string[]) {
  const { code, out, err } = await farm(['webhooks', ...args, '--json'], { env })
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

test('an operator sees endpoints, stops deliveries and endpoints, and sends again', async (t) => {
  const account = await addAccount(db)
  const hook = await addWebhook(account)
  const failing = await addDelivery(hook)
  const fresh = await addDelivery(hook)
  await recordFailure(db, { deliveryId: failing, attempt, delayMs: 30_000 })
  const [listed] = await json('list', account)
  t.like(listed, { webhook: hook.webhookId, status: 'active', pending: 2, failing: 1 })
  const shown = await json('show', account, hook.webhookId)
  t.is(shown.total, 2)
  t.deepEqual(await json('stop', account, failing, ...why), { stopped: 'delivery', id: failing })
  const again = await json('redeliver', account, failing, ...why)
  t.true(again.queued)
  const stranger = await addAccount(db)
  t.is((await farm(['webhooks', 'stop', stranger, fresh, ...why], { env })).code, 1)
  t.is((await json('stop', account, hook.webhookId, ...why)).stopped, 'endpoint')
  t.like((await json('list', account))[0], { status: 'disabled', pending: 0 })
  const acts = await db.selectFrom('operator_acts').selectAll().execute()
  t.is(acts.filter(({ subject }) => subject === account).length, 3)
})
