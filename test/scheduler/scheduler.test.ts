import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Metadata, status } from '@grpc/grpc-js'
import test from 'ava'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Task } from '../../proto/gen/farm/v1/node.ts'
import { addMaintenance, cancelMaintenance } from '../../store/db/fleet/maintenance-windows.ts'
import { wantOutputs } from '../../store/db/playback/want-outputs.ts'
import { addTask } from '../store/database.ts'
import { cancelTasksOfJob } from '../store/db/jobs/one-job.ts'
import { offer, refused, startScheduler, token } from './running-scheduler.ts'

const lines: string[] = []
const scheduler = await startScheduler(
  pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
)
const { db, client, call, newNode, newJob, leaseOne } = scheduler

test.after.always(async () => {
  await scheduler.stop()
})

// The queue belongs to the whole farm: tests that read it run one at a time.
const queueTest = test.serial
queueTest.afterEach.always(async () => {
  await scheduler.clear()
})

const held = (nodeId: string, { id, attempt }: Task) => ({ nodeId, taskId: id, attempt })

queueTest('a node registers, leases, renews and completes', async (t) => {
  const job = await newJob()
  const nodeId = randomUUID()
  t.deepEqual(await call('register', { nodeId, name: 'node', version: '1', offer }), {
    leaseMs: 15_000,
    renewMs: 5_000,
  })
  await addTask(db, { ...job, spec: { segments: [0, 1], assemble: false } })
  const task = await leaseOne(nodeId)
  t.like(task, { attempt: 1, kind: 'render', jobId: job.jobId })
  t.deepEqual(task.spec, { segments: [0, 1], assemble: false })
  t.regex(task.inputs[0]?.url ?? '', /^http:\/\/127\.0\.0\.1:1\/objects\/accounts\/a\/plan\?.*=GET/)
  const output = `/objects/accounts/${job.accountId}/tasks/${task.id}/1/segment-0?`
  t.is(task.outputs[0]?.name, 'segment-0')
  t.true(task.outputs[0]?.url.includes(output))
  const progress = { taskId: task.id, attempt: 1, framesDone: 42, previews: 0, written: [] }
  t.deepEqual(await call('renew', { nodeId, tasks: [progress], pause: '' }), {
    stop: [],
    wanted: [],
    followed: [],
  })
  const done = { ...held(nodeId, task), result: { segments: [], seconds: { paint: 0.25 } } }
  t.deepEqual(await call('complete', done), {})
  t.deepEqual(await call('complete', done), {}, 'the same again is fine')
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.like(row, { state: 'completed', frames_done: 100, result: done.result })
  const events = await db.selectFrom('task_words').selectAll().execute()
  t.is(events.length, 1)
})

queueTest('a long poll is woken by a task that comes', async (t) => {
  const job = await newJob()
  const nodeId = await newNode()
  const poll = call('lease', { nodeId, slots: 2, waitMs: 20_000 })
  await addTask(db, { ...job, kind: 'bake' })
  await addTask(db, { ...job, kind: 'still' })
  const { tasks } = await poll
  t.deepEqual(
    tasks.map(({ kind }) => kind),
    ['still'],
  )
})

queueTest('a poll without work answers empty', async (t) => {
  const nodeId = await newNode()
  t.deepEqual(await call('lease', { nodeId, slots: 1, waitMs: 50 }), { tasks: [] })
})

queueTest(
  'a poll ends with its wait, also where each look into the queue takes longer',
  async (t) => {
    const nodeId = await newNode()
    await sql`alter table pools rename to quick_pools`.execute(db)
    await sql`create sequence looks`.execute(db)
    // Counts the reads of it and slows them down.
    await sql`
    create view pools as select quick_pools.* from quick_pools
    cross join (select nextval('looks') as look, pg_sleep(0.1)) slow where look > 0`.execute(db)
    try {
      const looksOf = async (waitMs: number) => {
        await sql`alter sequence looks restart`.execute(db)
        t.deepEqual(await call('lease', { nodeId, slots: 1, waitMs }), { tasks: [] })
        const { rows } = await sql<{
          looks: number
        }>`select last_value as looks from looks`.execute(db)
        return rows[0]?.looks
      }
      t.is(await looksOf(50), await looksOf(0))
    } finally {
      await sql`drop view pools`.execute(db)
      await sql`alter table quick_pools rename to pools`.execute(db)
      await sql`drop sequence looks`.execute(db)
    }
  },
)

queueTest('a task whose node went away while it waited goes to the next at once', async (t) => {
  const job = await newJob()
  const [gone, next] = [await newNode(), await newNode()]
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const ended = new Promise((resolve) => {
    const poll = client.lease({ nodeId: gone, slots: 1, waitMs: 20_000 }, metadata, resolve)
    setTimeout(() => poll.cancel(), 100)
  })
  await ended
  await addTask(db, job)
  // The disconnected node may hold it until that is noticed.
  const { tasks } = await call('lease', { nodeId: next, slots: 1, waitMs: 20_000 })
  t.is(tasks[0]?.jobId, job.jobId)
})

queueTest('a stale attempt is refused', async (t) => {
  const job = await newJob()
  const [first, second] = [await newNode(), await newNode()]
  await addTask(db, job)
  const old = held(first, await leaseOne(first))
  await call('drain', {
    nodeId: first,
    handedBack: [{ ...old, framesDone: 0, previews: 0, written: [] }],
  })
  const now = held(second, await leaseOne(second))
  t.is(now.attempt, 2)
  await refused(t, status.FAILED_PRECONDITION, call('complete', { ...old, result: {} }))
  const failure = {
    code: 'internal',
    message: 'x',
    field: '',
    logTail: '',
    triesMax: 0,
    retryAfterMs: 0,
    refused: false,
  }
  await refused(t, status.FAILED_PRECONDITION, call('fail', { ...old, ...failure }))
  t.deepEqual(
    await call('renew', {
      nodeId: first,
      tasks: [{ ...old, framesDone: 1, previews: 0, written: [] }],
      pause: '',
    }),
    {
      stop: [{ taskId: old.taskId, attempt: 1, reason: 'lost' }],
      wanted: [],
      followed: [],
    },
  )
  await refused(t, status.FAILED_PRECONDITION, call('complete', { ...now, attempt: 1, result: {} }))
  t.deepEqual(await call('complete', { ...now, result: {} }), {})
})

queueTest('a drained node gets nothing until it registers again', async (t) => {
  const job = await newJob()
  const nodeId = await newNode()
  await addTask(db, job)
  await call('drain', { nodeId, handedBack: [] })
  await refused(t, status.FAILED_PRECONDITION, call('lease', { nodeId, slots: 1, waitMs: 0 }))
  await call('register', { nodeId, name: 'node', version: '1', offer })
  t.is((await leaseOne(nodeId)).jobId, job.jobId)
})

queueTest('a failure goes to another node, a final one ends the task', async (t) => {
  const job = await newJob()
  const [first, second] = [await newNode(), await newNode()]
  await addTask(db, job)
  const failed = {
    code: 'no such code',
    message: 'a\0b',
    field: '',
    logTail: 'tail\0',
    triesMax: 0,
    retryAfterMs: 0,
    refused: false,
  }
  const one = held(first, await leaseOne(first))
  t.deepEqual(await call('fail', { ...one, ...failed }), { retried: true })
  t.deepEqual(await call('lease', { nodeId: first, slots: 1, waitMs: 0 }), { tasks: [] })
  const two = held(second, await leaseOne(second))
  const final = { ...failed, code: 'media_invalid', message: 'Bad.', field: 'visuals[0].src' }
  t.deepEqual(await call('fail', { ...two, ...final }), { retried: false })
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.is(row.state, 'failed')
  t.deepEqual(row.error, { code: 'media_invalid', message: 'Bad.', field: 'visuals[0].src' })
})

for (const [code, blame] of [
  ['element_invalid', 'customer'],
  ['internal', 'farm'],
] as const) {
  queueTest(`the log names a failure of the ${blame} without words`, async (t) => {
    const job = await newJob()
    const nodeId = await newNode()
    await addTask(db, job)
    const attempt = held(nodeId, await leaseOne(nodeId))
    const failure = { code, field: 'visuals[0]', triesMax: 1, retryAfterMs: 0, refused: false }
    const words = { message: 'Must be sane. Got hush-draft', logTail: 'Error: Got hush-draft' }
    await call('fail', { ...attempt, ...failure, ...words })
    const own = lines.filter((line) => line.includes(attempt.taskId))
    t.is(own.length, 1)
    t.like(JSON.parse(own[0] ?? ''), {
      ...{ msg: 'attempt failed', code, field: 'visuals[0]', blame, job: job.jobId },
    })
    t.false(lines.join('').includes('hush-draft'))
    const row = await db.selectFrom('attempts').selectAll().executeTakeFirstOrThrow()
    t.true(row.log_tail?.includes('hush-draft'), 'operators still read it of the attempt')
  })
}

queueTest('a cancelled task is stopped at the next renewal', async (t) => {
  const job = await newJob()
  const nodeId = await newNode()
  await addTask(db, job)
  const task = held(nodeId, await leaseOne(nodeId))
  await cancelTasksOfJob(db, job)
  t.deepEqual(
    await call('renew', {
      nodeId,
      tasks: [{ ...task, framesDone: 1, previews: 0, written: [] }],
      pause: '',
    }),
    {
      stop: [{ taskId: task.taskId, attempt: 1, reason: 'cancelled' }],
      wanted: [],
      followed: [],
    },
  )
})

queueTest('the sweep gives back the turns of an abandoned play', async (t) => {
  const { accountId, jobId } = await newJob()
  for (const name of ['segment-0', 'segment-1']) {
    await addTask(db, { accountId, jobId, name, outputs: [name] })
  }
  await wantOutputs(db, { accountId, outputs: [{ jobId, name: 'segment-1' }] })
  const next = async () => {
    const { rows } = await sql<{ name: string }>`
      select name from tasks order by virtual_start limit 1`.execute(db)
    return rows[0]?.name
  }
  t.is(await next(), 'segment-1')
  await sql`update tasks set wanted_until = now() where wanted_until is not null`.execute(db)
  for (let waited = 0; (await next()) !== 'segment-0' && waited < 60_000; waited += 50) {
    await sleep(50)
  }
  t.is(await next(), 'segment-0')
})

queueTest('the sweep takes an expired lease and another node gets the task', async (t) => {
  const job = await newJob()
  const [lost, other] = [await newNode(), await newNode()]
  await addTask(db, job)
  await leaseOne(lost)
  const poll = call('lease', { nodeId: other, slots: 1, waitMs: 20_000 })
  await db
    .updateTable('attempts')
    .set({ expires_at: new Date(0) })
    .execute()
  const { tasks } = await poll
  t.is(tasks[0]?.attempt, 2)
})

queueTest('a lease has only as many tasks as fit one message', async (t) => {
  const job = await newJob()
  const nodeId = await newNode()
  for (let i = 0; i < 4; i++) await addTask(db, { ...job, spec: { text: 'x'.repeat(400_000) } })
  const { tasks } = await call('lease', { nodeId, slots: 4, waitMs: 0 })
  t.is(tasks.length, 2)
  const rows = await db.selectFrom('tasks').select(['state', 'failed_nodes']).execute()
  t.is(rows.filter((row) => row.state === 'queued' && row.failed_nodes.length === 0).length, 2)
})

queueTest('a task too large for any message ends with a reason', async (t) => {
  const job = await newJob()
  const nodeId = await newNode()
  await addTask(db, { ...job, spec: { text: 'x'.repeat(1_100_000) } })
  for (let i = 0; i < 3; i++) await call('lease', { nodeId, slots: 1, waitMs: 0 })
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.is(row.state, 'failed')
  t.regex(row.error?.message ?? '', /too many objects/)
})

queueTest('the scheduler begins and ends maintenance windows by itself', async (t) => {
  const nodeId = await newNode()
  const [startsAt, endsAt] = [new Date(Date.now() - 1_000), new Date(Date.now() + 3_600_000)]
  const window = { startsAt, endsAt, why: 'new disks', madeBy: 'ada' }
  const id = await addMaintenance(db, { target: { nodeId, pool: null }, ...window })
  const state = async () => {
    const node = db.selectFrom('nodes').select('state').where('id', '=', nodeId)
    return (await node.executeTakeFirstOrThrow()).state
  }
  while ((await state()) !== 'cordoned') await sleep(20)
  t.true(await cancelMaintenance(db, id))
  while ((await state()) !== 'active') await sleep(20)
  t.pass()
})
