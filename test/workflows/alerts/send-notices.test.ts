import { createHmac } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { readSealKeys } from '../../../runtime/seal.ts'
import { orderTestNotice } from '../../../store/db/alerts/notices.ts'
import { addReceiver, listReceivers } from '../../../store/db/alerts/receivers.ts'
import { alertOnce } from '../../../workflows/alerts/keep-alerts.ts'
import { sendNotices } from '../../../workflows/alerts/send-notices.ts'
import { addAccount, addJob, addTask, silent, startDatabase } from '../../store/database.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const { db, stop } = await startDatabase()
const program = await startReceiver()
test.after.always(async () => {
  await program.stop()
  await stop()
})

const sealKeys = readSealKeys({}, 'a secret of the farm that is long')
const sending = {
  ...{ db, log: silent, sealKeys, trustedHosts: [program.host] },
  farmUrl: 'https://farm.example.com',
}
const secret = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`

async function receiver(name: string, form: 'json' | 'slack' | 'pagerduty', path: string) {
  const secrets = {
    url: program.at(path),
    ...(form === 'json' && { secret }),
    ...(form === 'pagerduty' && { key: 'a routing key' }),
  }
  const given = { name, form, secrets, onlyPages: false, madeBy: 'ada', sealKeys }
  return (await addReceiver(db, given)) ?? ''
}
const bodiesAt = (path: string) => program.of(path).map(({ body }) => JSON.parse(String(body)))

/** Sends until nothing is due: an end waits for its beginning. */
async function sendAll(): Promise<void> {
  await sendNotices(sending)
  await sendNotices(sending)
}

test.serial('a test reaches each form of receiver: its beginning, then its end', async (t) => {
  for (const form of ['json', 'slack', 'pagerduty'] as const) {
    const receiverId = await receiver(form, form, `/ok/${form}`)
    await orderTestNotice(db, { receiverId, words: 'A test by ada: is it on?' })
  }
  await sendAll()
  t.deepEqual(
    bodiesAt('/ok/json').map(({ state, alert }) => [state, alert]),
    [
      ['raised', 'FarmTest'],
      ['ended', 'FarmTest'],
    ],
  )
  t.regex(bodiesAt('/ok/slack')[0].text, /^:warning: A test by ada: is it on\? \(FarmTest\)/)
  t.deepEqual(
    bodiesAt('/ok/pagerduty').map(({ event_action, routing_key }) => [event_action, routing_key]),
    [
      ['trigger', 'a routing key'],
      ['resolve', 'a routing key'],
    ],
  )
  t.is((await listReceivers(db, { only: 'json' }))[0]?.waiting, 0)
})

test.serial('a notice in our own form is signed by the standard', (t) => {
  const [first] = program.of('/ok/json')
  if (!first) return t.fail('a notice must have come')
  const { headers, body } = first
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(text).digest('base64')
  t.is(headers['webhook-signature'], `v1,${signature}`)
  t.is(program.of('/ok/slack')[0]?.headers['webhook-signature'], undefined)
})

test.serial('a refused notice stays for later, and its fault is shown', async (t) => {
  const receiverId = await receiver('failing', 'slack', '/fail')
  await orderTestNotice(db, { receiverId, words: 'A test by ada: is it on?' })
  await sendAll()
  t.is(program.of('/fail').length, 1, 'the end waits for its beginning')
  const [shown] = await listReceivers(db, { only: 'failing' })
  t.like(shown, { waiting: 2, lastSentAt: null })
  t.regex(shown?.lastError ?? '', /500/)
})

test.serial('an address of the inner network is refused without a call', async (t) => {
  const secrets = { url: 'https://localhost/hook' }
  const given = { name: 'inner', form: 'slack', secrets, onlyPages: false, madeBy: 'a', sealKeys }
  const receiverId = (await addReceiver(db, { ...given, form: 'slack' })) ?? ''
  await orderTestNotice(db, { receiverId, words: 'A test' })
  await sendNotices({ ...sending, trustedHosts: [] })
  t.regex((await listReceivers(db, { only: 'inner' }))[0]?.lastError ?? '', /public|URL/)
})

test.serial('a queue without nodes is told to the operators by itself', async (t) => {
  await receiver('watched', 'json', '/ok/watched')
  const accountId = await addAccount(db)
  await addTask(db, { accountId, jobId: await addJob(db, accountId) })
  await alertOnce(sending)
  t.deepEqual(bodiesAt('/ok/watched'), [])
  await sql`update alerts set found_at = found_at - interval '1 hour'`.execute(db)
  await alertOnce(sending)
  const told = bodiesAt('/ok/watched').map(({ alert, words }) => `${alert}: ${words}`)
  t.true(told.includes('FarmQueueStuck: 1 task waits and nothing runs'), told.join('\n'))
})

test.serial('notices that are due go out although the farm cannot be judged', async (t) => {
  const receiverId = await receiver('through', 'json', '/ok/through')
  await orderTestNotice(db, { receiverId, words: 'A test' })
  await sql`alter table nodes rename to no_nodes`.execute(db)
  try {
    await t.throwsAsync(alertOnce(sending), { message: /nodes/ })
  } finally {
    await sql`alter table no_nodes rename to nodes`.execute(db)
  }
  t.is(bodiesAt('/ok/through').length, 1)
})
