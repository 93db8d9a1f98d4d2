import test from 'ava'
import { sql } from 'kysely'
import type { Finding } from '../../../../core/alerts/findings.ts'
import { readSealKeys } from '../../../../runtime/seal.ts'
import { keepAlerts } from '../../../../store/db/alerts/keep-alerts.ts'
import { listAlerts } from '../../../../store/db/alerts/list-alerts.ts'
import { claimNotices, endNoticeTry } from '../../../../store/db/alerts/notices.ts'
import {
  addReceiver,
  listReceivers,
  removeReceiver,
} from '../../../../store/db/alerts/receivers.ts'
import { startDatabase } from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
test.serial.afterEach.always(async () => {
  await sql`delete from alerts`.execute(db)
  await sql`delete from notice_receivers`.execute(db)
})

const sealKeys = readSealKeys({}, 'a secret of the farm that is long')
const stuck: Finding = {
  alert: 'FarmQueueStuck',
  where: '',
  words: '5 tasks wait and nothing runs',
}
const silent: Finding = {
  alert: 'FarmNodesSilent',
  where: 'pool gpu',
  words: '1 node fell silent',
}

async function receiver(name: string, { onlyPages = false } = {}): Promise<string> {
  const secrets = { url: `https://hooks.example.com/${name}/secret` }
  const given = { name, form: 'slack', secrets, onlyPages, madeBy: 'ada', sealKeys } as const
  return (await addReceiver(db, given)) ?? ''
}

const see = (...found: Finding[]) => keepAlerts(db, async () => found)
/** Makes all that has happened `seconds` older. */
const pass = async (seconds: number) => {
  await sql`update alerts set found_at = found_at - ${seconds} * interval '1 second',
    seen_at = seen_at - ${seconds} * interval '1 second'`.execute(db)
  await sql`update notices set next_at = next_at - ${seconds} * interval '1 second'`.execute(db)
}
const due = async () => await claimNotices(db, { limit: 9, claimSeconds: 60 })
const said = async () =>
  (await due()).map(({ receiver: to, state, alert }) => `${to} ${state} ${alert}`)

test.serial('a fault rings once it has lasted, and its end is told', async (t) => {
  await receiver('slack')
  await see(stuck)
  t.deepEqual([await said(), await listAlerts(db, { limit: 9 })], [[], []], 'it has not lasted')
  await pass(181)
  await see({ ...stuck, words: '6 tasks wait and nothing runs' })
  const [notice] = await due()
  t.like(notice, { state: 'raised', words: '6 tasks wait and nothing runs', severity: 'page' })
  await endNoticeTry(db, { id: notice?.id ?? '', attempts: 0, error: null })
  await pass(59)
  await see()
  t.like((await listAlerts(db, { limit: 9 }))[0], { endedAt: null })
  await pass(2)
  await see()
  t.deepEqual(await said(), ['slack ended FarmQueueStuck'])
  t.truthy((await listAlerts(db, { limit: 9 }))[0]?.endedAt)
})

test.serial('a fault that comes and goes within its time rings nobody', async (t) => {
  await receiver('slack')
  for (let turn = 0; turn < 3; turn += 1) {
    await see(stuck)
    await pass(100)
    await see()
  }
  t.deepEqual([await said(), await listAlerts(db, { limit: 9 })], [[], []])
})

test.serial('a fault that is gone for a moment stays one alert', async (t) => {
  await receiver('slack')
  await see(stuck)
  await pass(200)
  await see(stuck)
  await pass(30)
  await see()
  await see(stuck)
  await pass(50)
  await see()
  t.deepEqual(await said(), ['slack raised FarmQueueStuck'])
})

test.serial('two faults of one name and place are one alert', async (t) => {
  await receiver('slack')
  // A pool may be named like the word for any pool.
  await see(stuck, { ...stuck, words: '7 tasks wait and nothing runs' })
  await pass(200)
  await see(stuck, { ...stuck, words: '7 tasks wait and nothing runs' })
  t.deepEqual(await said(), ['slack raised FarmQueueStuck'])
})

test.serial('a receiver of pages hears of no ticket', async (t) => {
  await receiver('all')
  await receiver('pages', { onlyPages: true })
  await see(stuck, silent)
  await pass(200)
  await see(stuck, silent)
  t.deepEqual((await said()).toSorted(), [
    ...['all raised FarmNodesSilent', 'all raised FarmQueueStuck', 'pages raised FarmQueueStuck'],
  ])
})

test.serial('an end waits for its beginning, which is tried again', async (t) => {
  const id = await receiver('slack')
  await see(stuck)
  await pass(200)
  await see(stuck)
  const [first] = await due()
  await endNoticeTry(db, { id: first?.id ?? '', attempts: 0, error: 'The receiver answered 500' })
  await pass(9)
  await pass(61)
  await see()
  const [again, ...others] = await due()
  t.like(again, { id: first?.id, attempts: 1, state: 'raised' })
  t.deepEqual(others, [])
  t.like((await listReceivers(db, { only: id }))[0], {
    ...{ waiting: 2, lastSentAt: null, lastError: 'The receiver answered 500' },
  })
  await endNoticeTry(db, { id: first?.id ?? '', attempts: 1, error: null })
  t.deepEqual(await said(), ['slack ended FarmQueueStuck'])
  t.like((await listReceivers(db, { only: 'slack' }))[0], { waiting: 1, lastError: null })
})

test.serial('two keepers at once tell each receiver once', async (t) => {
  await receiver('slack')
  await see(stuck)
  await pass(200)
  await Promise.all([see(stuck), see(stuck), see(stuck)])
  const claims = await Promise.all([due(), due(), due()])
  t.is(claims.flat().length, 1)
})

test.serial('a removed receiver gets nothing more, and no address is in clear', async (t) => {
  const id = await receiver('slack')
  const { rows } = await sql`select * from notice_receivers`.execute(db)
  t.false(JSON.stringify(rows).includes('secret'))
  t.false(Buffer.from((rows[0] as { sealed: Buffer }).sealed).includes('secret'))
  t.is(
    await addReceiver(db, {
      ...{ name: 'slack', form: 'slack', secrets: { url: 'https://example.com' } },
      ...{ onlyPages: false, madeBy: 'ada', sealKeys },
    }),
    undefined,
  )
  await see(stuck)
  await pass(200)
  await see(stuck)
  t.true(await removeReceiver(db, id))
  t.deepEqual(await said(), [])
  t.false(await removeReceiver(db, id))
})
