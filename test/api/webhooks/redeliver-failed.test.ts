import test from 'ava'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { redeliverFailed } from '../../../store/db/webhooks/redeliver-failed.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const path = '/api/webhooks/deliveries/redeliver'
const longAgo = '2020-01-01T00:00:00Z'

/** An account with two endpoints and `jobs` failed jobs, all of whose deliveries have failed. */
async function withFailed(jobs = 1) {
  const customer = await gateway.customer()
  const { post, send, accountId } = customer
  await setPlan(gateway.db, { accountId, plan: 'studio' })
  const ids: string[] = []
  for (const host of ['a', 'b']) {
    const hook = { url: `https://${host}.example.com/`, events: ['render.failed'] }
    ids.push((await post('/api/webhooks', hook)).json().id)
  }
  const error = { code: 'media_invalid' as const, message: 'No picture. Got text', details: [] }
  for (let i = 0; i < jobs; i += 1) {
    const { jobId } = (await post(renderPath, requestOf())).json()
    const settlement = { to: 'failed', error } as const
    await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  }
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null,
    created_at = now() - interval '1 hour' where account_id = ${accountId}`.execute(gateway.db)
  const again = async (
    order: object = { since: longAgo },
    headers: Record<string, string> = {},
  ) => {
    const reply = await send('POST', path, order, headers)
    if (reply.statusCode !== 200) throw new Error(reply.body)
    return reply.json()
  }
  const rows = async () =>
    (
      await sql<{ id: string; status: string; hook: string; body: string; again: string | null }>`
        select d.id, d.status, w.public_id as hook, d.body, d.redelivered_as as again
        from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where d.account_id = ${accountId} order by d.created_at, d.id`.execute(gateway.db)
    ).rows
  return { ...customer, ids, again, rows }
}

test('all failed deliveries are sent again once, with the same bytes', async (t) => {
  const { again, rows, ids } = await withFailed()
  t.deepEqual(await again(), { queued: 2, left: 0, limit: 500 })
  const all = await rows()
  const [failed, sent] = [
    all.filter(({ status }) => status === 'failed'),
    all.filter(({ status }) => status === 'pending'),
  ]
  t.deepEqual([failed.length, sent.length], [2, 2])
  for (const original of failed) {
    const copy = sent.find(({ id }) => id === original.again)
    t.deepEqual([copy?.body, copy?.hook], [original.body, original.hook])
  }
  t.deepEqual(sent.map(({ hook }) => hook).toSorted(), ids.toSorted())
  t.deepEqual(await again(), { queued: 0, left: 0, limit: 500 })
  t.is((await rows()).length, 4)
})

test('deliveries of one endpoint alone are sent again', async (t) => {
  const { again, rows, ids } = await withFailed()
  t.like(await again({ since: longAgo, webhookId: ids[1] }), { queued: 1, left: 0 })
  const sent = (await rows()).filter(({ status }) => status === 'pending')
  t.deepEqual(
    sent.map(({ hook }) => hook),
    [ids[1]],
  )
})

test('another account’s deliveries are neither sent nor named', async (t) => {
  const { rows, ids } = await withFailed()
  const stranger = await gateway.customer()
  t.like((await stranger.post(path, { since: longAgo })).json(), { queued: 0, left: 0 })
  t.is((await stranger.post(path, { since: longAgo, webhookId: ids[0] })).statusCode, 404)
  t.true((await rows()).every(({ status }) => status === 'failed'))
})

test('older failures, tests and disabled endpoints are left out', async (t) => {
  const { again, ids, accountId } = await withFailed()
  const soon = new Date(Date.now() - 60_000).toISOString()
  t.like(await again({ since: soon }), { queued: 0, left: 0 })
  await sql`update webhooks set status = 'disabled' where public_id = ${ids[0]}`.execute(gateway.db)
  await sql`update webhook_deliveries d set test = true from webhooks w
    where w.id = d.webhook_id and w.public_id = ${ids[1]}
      and d.account_id = ${accountId}`.execute(gateway.db)
  t.like(await again(), { queued: 0, left: 0 })
})

test('a request beyond the limit tells how many are left', async (t) => {
  const { accountId, again, rows } = await withFailed(3)
  const since = new Date(longAgo)
  const sent = await redeliverFailed(gateway.db, { accountId, since, limit: 4 })
  t.deepEqual(sent, { queued: 4, left: 2 })
  t.like(await again(), { queued: 2, left: 0 })
  t.is((await rows()).length, 12)
})

test('requests at the same time send nothing twice', async (t) => {
  const { again, rows } = await withFailed(3)
  const answers = await Promise.all([again(), again(), again()])
  t.is(
    answers.reduce((sum, { queued }) => sum + queued, 0),
    6,
  )
  t.is((await rows()).length, 12)
})

test('a key repeats its answer; one sent by hand stays out', async (t) => {
  const { again, rows, post } = await withFailed()
  const [first] = await rows()
  await post(`/api/webhooks/deliveries/${first?.id}/redeliver`)
  const key = { 'idempotency-key': 'once' }
  t.like(await again({ since: longAgo }, key), { queued: 1, left: 0 })
  t.like(await again({ since: longAgo }, key), { queued: 1, left: 0 })
  t.is((await rows()).length, 4)
})

test('a redelivery without a time is refused at its field', async (t) => {
  const { post } = await gateway.customer()
  for (const body of [{}, { since: 'yesterday' }, { since: '2026-02-30T00:00:00Z' }]) {
    const reply = await post(path, body)
    t.is(reply.statusCode, 400)
    t.is(reply.json().details[0].field, 'since')
  }
})

test('the client sends failed deliveries again', async (t) => {
  const { key } = await withFailed()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const { webhooks } = createFarmClient({ url, apiKey: key })
  t.like(await webhooks.redeliverFailed({ since: longAgo }), { queued: 2 })
})
