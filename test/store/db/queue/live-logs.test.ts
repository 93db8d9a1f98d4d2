import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { followLog, forgetLiveLogs } from '../../../../store/db/queue/follow-log.ts'
import { keepLiveLogs } from '../../../../store/db/queue/keep-live-logs.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import { addNode, addTask } from '../../database.ts'
import { leaseMs, startQueue } from './queue.ts'

const { db, queueTest, leaseOne, newJob } = await startQueue()

async function running() {
  await addTask(db, await newJob())
  return await leaseOne(await addNode(db))
}

type Held = Awaited<ReturnType<typeof running>>

const renew = async ({ nodeId, ...held }: Held) =>
  await renewLeases(db, {
    renewals: [{ nodeId, held: [{ ...held, framesDone: 0, previews: 0 }] }],
    leaseMs,
  })

const tell = async (held: Held, from: number, ...lines: readonly string[]) =>
  await keepLiveLogs(db, [{ ...held, from, lines }])

queueTest('a renewal asks for the log that somebody follows', async (t) => {
  const held = await running()
  t.deepEqual(await renew(held), [])
  t.deepEqual(await followLog(db, held), { log: '', lines: 0, isOver: false })
  t.deepEqual(await renew(held), [{ ...held, lines: 0 }])
  await tell(held, 0, 'one', 'two')
  t.deepEqual(await renew(held), [{ ...held, lines: 2 }])
  await sql`update live_logs set followed_until = now() - interval '1 second'`.execute(db)
  t.deepEqual(await renew(held), [])
})

queueTest('new lines are added, repeated ones are not', async (t) => {
  const held = await running()
  await followLog(db, held)
  await tell(held, 0, 'one', 'two')
  await tell(held, 0, 'one', 'two')
  await tell(held, 2, 'three')
  t.deepEqual(await followLog(db, held), { log: 'one\ntwo\nthree\n', lines: 3, isOver: false })
})

queueTest('a log with a gap begins anew', async (t) => {
  const held = await running()
  await followLog(db, held)
  await tell(held, 0, 'one')
  await tell(held, 7, 'eight')
  t.deepEqual(await followLog(db, held), { log: 'eight\n', lines: 8, isOver: false })
})

queueTest('the oldest whole lines of a long log go', async (t) => {
  const held = await running()
  await followLog(db, held)
  for (let at = 0; at < 30; at += 1) await tell(held, at, `${at} ${'x'.repeat(3_000)}`)
  const { log = '', lines } = (await followLog(db, held)) ?? {}
  t.is(lines, 30)
  t.true(log.length <= 65_536 && log.length > 60_000)
  t.regex(log, /^\d+ x+\n/)
  t.true(log.endsWith(`29 ${'x'.repeat(3_000)}\n`))
})

queueTest('no other node writes into a followed log', async (t) => {
  const held = await running()
  await followLog(db, held)
  await tell({ ...held, nodeId: await addNode(db) }, 0, 'a lie')
  await tell({ ...held, attempt: 2 }, 0, 'a lie')
  t.deepEqual(await followLog(db, held), { log: '', lines: 0, isOver: false })
})

queueTest('an attempt that has ended is asked for nothing', async (t) => {
  const held = await running()
  await followLog(db, held)
  await tell(held, 0, 'one')
  await sql`update attempts set state = 'lost', ended_at = now()`.execute(db)
  await tell(held, 1, 'two')
  t.deepEqual(await followLog(db, held), { log: 'one\n', lines: 1, isOver: false })
  t.is(await followLog(db, { taskId: randomUUID(), attempt: 1 }), undefined)
})

queueTest('a followed log is over a minute after its attempt', async (t) => {
  const held = await running()
  await followLog(db, held)
  const end = async (seconds: number) =>
    await sql`update attempts set state = 'returned', ended_at = now() - ${seconds} * interval '1 second'
      where task_id = ${held.taskId}`.execute(db)
  await end(50)
  t.false((await followLog(db, held))?.isOver)
  await end(70)
  t.true((await followLog(db, held))?.isOver)
})

queueTest('logs that nobody follows are forgotten after an hour', async (t) => {
  const held = await running()
  await followLog(db, held)
  t.is(await forgetLiveLogs(db, { limit: 10 }), 0)
  await sql`update live_logs set followed_until = now() - interval '2 hours'`.execute(db)
  t.is(await forgetLiveLogs(db, { limit: 10 }), 1)
})
