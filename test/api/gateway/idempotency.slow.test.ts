import test from 'ava'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

test('a repeat of an unanswered request waits, then continues the same act', async (t) => {
  const { send, accountId, get } = await gateway.customer()
  const post = () => send('POST', renderPath, { payload: film }, { 'idempotency-key': 'k' })
  const first = (await post()).json()
  const of = () => gateway.db.updateTable('idempotency_keys').where('account_id', '=', accountId)
  const soon = new Date(Date.now() + 60_000)
  await of().set({ status: null, answer: null, claimed_until: soon }).execute()
  const early = await post()
  t.is(early.statusCode, 409)
  t.is(early.headers['retry-after'], '1')
  t.regex(early.json().message, /still in progress/)
  await of().set({ claimed_until: new Date() }).execute()
  t.is((await post()).json().jobId, first.jobId)
  t.is((await get('/api/jobs')).json().total, 1)
})
