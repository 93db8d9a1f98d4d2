import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { completeTasks } from '../../../../store/db/queue/complete-tasks.ts'
import { expireLeases } from '../../../../store/db/queue/expire-leases.ts'
import { failTask } from '../../../../store/db/queue/fail-task.ts'
import { handBackTasks } from '../../../../store/db/queue/hand-back-tasks.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import { addNode, addTask, completeTask } from '../../database.ts'
import { cancelTasksOfJob } from '../jobs/one-job.ts'
import { broken, leaseMs, startQueue } from './queue.ts'

const { db, queueTest, lease, leaseOne, newJob } = await startQueue()

async function wordsOf(taskId: string) {
  return await db.selectFrom('task_words').selectAll().where('task_id', '=', taskId).execute()
}

const mediumA = { name: 'a'.repeat(64), key: 'accounts/a/media' }
const mediumB = { name: 'b'.repeat(64), key: 'accounts/b/media' }

queueTest('20 parallel lessees never get the same task', async (t) => {
  const job = await newJob()
  for (let i = 0; i < 100; i++) await addTask(db, job)
  const nodes = await Promise.all(Array.from({ length: 20 }, () => addNode(db)))
  const leased: string[] = []
  await Promise.all(
    nodes.map(async (node) => {
      for (let round = 0; round < 10; round++) {
        leased.push(...(await lease(node, 3)).map(({ id }) => id))
      }
    }),
  )
  t.is(leased.length, 100)
  t.is(new Set(leased).size, 100)
})

queueTest('a task goes only to a node of its kind with its encoder', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, kind: 'bake' })
  await addTask(db, { ...job, kind: 'render', requirements: { encoder: 'h264_nvenc' } })
  const plain = await addNode(db, { kinds: ['render', 'assemble'] })
  const nvenc = await addNode(db, { kinds: ['render'], encoders: ['libx264', 'h264_nvenc'] })
  const baker = await addNode(db, { kinds: ['bake'], encoders: [] })
  t.deepEqual(await lease(plain, 9), [])
  t.deepEqual(
    (await lease(nvenc, 9)).map(({ kind }) => kind),
    ['render'],
  )
  t.deepEqual(
    (await lease(baker, 9)).map(({ kind }) => kind),
    ['bake'],
  )
})

queueTest('a film with sound is put together only where its sound can be encoded', async (t) => {
  const job = await newJob()
  const requirements = { encoder: 'libvpx-vp9', soundEncoder: 'libopus' }
  await addTask(db, { ...job, requirements })
  for (const encoders of [['libvpx-vp9'], ['libopus'], ['libvpx-vp9', 'aac']]) {
    t.deepEqual(await lease(await addNode(db, { encoders }), 9), [])
  }
  const both = await addNode(db, { encoders: ['aac', 'libopus', 'libvpx-vp9'] })
  t.is((await lease(both, 9)).length, 1)
})

queueTest('a task goes only to a node with its canvas, on the device that it names', async (t) => {
  const job = await newJob()
  const requirements = { encoder: 'libx264', canvas: 'skia', device: 'GPU A' }
  await addTask(db, { ...job, requirements })
  for (const device of ['CPU', 'GPU B']) {
    t.deepEqual(await lease(await addNode(db, { canvas: 'skia', device }), 9), [])
  }
  t.deepEqual(await lease(await addNode(db, { canvas: 'napi', device: 'GPU A' }), 9), [])
  t.is((await lease(await addNode(db, { canvas: 'skia', device: 'GPU A' }), 9)).length, 1)
})

queueTest(
  'a task that its only fitting node failed goes back to it, others cannot help',
  async (t) => {
    const job = await newJob()
    await addTask(db, { ...job, requirements: { canvas: 'skia', device: 'GPU A' } })
    await addNode(db)
    const only = await addNode(db, { canvas: 'skia', device: 'GPU A' })
    const { taskId, attempt } = await leaseOne(only)
    await failTask(db, { nodeId: only, taskId, attempt, failure: broken })
    t.is((await lease(only, 9)).length, 1)
  },
)

queueTest('equal tasks that are put in at once are one task', async (t) => {
  const job = await newJob()
  const tokens = Array.from({ length: 10 }, () => randomBytes(8))
  const added = await Promise.all(
    tokens.map((token) => addTask(db, { ...job, name: 'render-0', token })),
  )
  t.is(new Set(added.map((task) => task.live && task.taskId)).size, 1)
  const flow = await db
    .selectFrom('flows')
    .select('virtual_finish')
    .where('account_id', '=', job.accountId)
    .executeTakeFirstOrThrow()
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.is(flow.virtual_finish, row.virtual_start + 1)
})

queueTest('a live task answers to the newest token, an ended one at once', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, { ...job, name: 'render-0' })
  const newest = Buffer.from('newest')
  await addTask(db, { ...job, name: 'render-0', token: newest })
  const held = await leaseOne(nodeId)
  await completeTask(db, { ...held, result: { frames: 3 } })
  const [word] = await wordsOf(held.taskId)
  t.deepEqual(word?.token, newest)
  const outcome = {
    state: 'completed',
    attempt: 1,
    result: { frames: 3 },
    outputs: { 'segment-0': `accounts/${job.accountId}/tasks/${held.taskId}/1/segment-0` },
  } as const
  t.deepEqual(word?.outcome, outcome)
  t.deepEqual(await addTask(db, { ...job, name: 'render-0' }), { live: false, outcome })
})

queueTest('ten equal completions in parallel are one completion and one event', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const held = await leaseOne(nodeId)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => completeTask(db, { ...held, result: { ok: true } })),
  )
  t.is(answers.filter(({ status }) => status === 'current').length, 1)
  t.is(answers.filter(({ status }) => status === 'repeated').length, 9)
  t.is((await wordsOf(held.taskId)).length, 1)
})

queueTest('completions of one moment are judged one by one and told together', async (t) => {
  const job = await newJob()
  const [nodeId, other] = [await addNode(db), await addNode(db)]
  for (let i = 0; i < 3; i++) await addTask(db, { ...job, inputs: [mediumA, mediumB] })
  const [one, two, three] = [await leaseOne(nodeId), await leaseOne(other), await leaseOne(nodeId)]
  await completeTask(db, { ...three, result: { n: 3 } })
  const statuses = await completeTasks(db, [
    { ...two, result: { n: 2 } },
    { ...one, result: { n: 1 } },
    { ...one, result: { n: 1 } },
    { ...one, nodeId: other, result: {} },
    { ...two, attempt: 2, result: {} },
    { ...three, result: {} },
    { ...one, taskId: randomUUID(), result: {} },
  ])
  t.deepEqual(
    statuses.map(({ status }) => status),
    ['current', 'current', 'repeated', 'stale', 'stale', 'repeated', 'unknown'],
  )
  const rows = await db.selectFrom('tasks').selectAll().execute()
  for (const [n, { taskId }] of [one, two, three].entries()) {
    const row = rows.find(({ id }) => id === taskId)
    t.like(row, { state: 'completed', result: { n: n + 1 }, frames_done: 100, won_attempt: 1 })
    t.is((await wordsOf(taskId)).length, 1)
  }
  const kept = await db.selectFrom('node_media').select(['node_id', 'digest']).execute()
  t.deepEqual(
    kept.map(({ node_id, digest }) => `${node_id} ${digest}`).toSorted(),
    [nodeId, other].flatMap((id) => [`${id} ${mediumA.name}`, `${id} ${mediumB.name}`]).toSorted(),
  )
})

queueTest('a node that has an old medium again has it anew', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  for (let i = 0; i < 2; i++) await addTask(db, { ...job, inputs: [mediumA] })
  await completeTask(db, { ...(await leaseOne(nodeId)), result: {} })
  const old = new Date(Date.now() - 24 * 3_600_000)
  await sql`update node_media set used_at = ${old}`.execute(db)
  await completeTask(db, { ...(await leaseOne(nodeId)), result: {} })
  const { used_at } = await db.selectFrom('node_media').selectAll().executeTakeFirstOrThrow()
  t.true(used_at > old)
})

queueTest('an expired lease goes to another node and its late reports are refused', async (t) => {
  const job = await newJob()
  const [frozen, other] = [await addNode(db), await addNode(db)]
  await addTask(db, job)
  const [first] = await lease(frozen, 1, -1000)
  const stale = { nodeId: frozen, taskId: first?.id ?? '', attempt: 1 }
  t.deepEqual(await expireLeases(db), [
    { ...stale, jobId: job.jobId, kind: 'render', retried: true },
  ])
  t.is((await completeTask(db, { ...stale, result: {} })).status, 'stale')
  t.deepEqual(await lease(frozen), [], 'another node can do it')
  const second = await leaseOne(other)
  t.is(second.attempt, 2)
  t.is((await completeTask(db, { ...stale, result: {} })).status, 'stale')
  t.is((await failTask(db, { ...stale, failure: broken })).status, 'stale')
  t.deepEqual(
    await renewLeases(db, {
      renewals: [{ nodeId: frozen, held: [{ ...stale, framesDone: 1, previews: 0 }] }],
      leaseMs,
    }),
    [{ nodeId: frozen, taskId: stale.taskId, attempt: 1, reason: 'lost' }],
  )
  t.is((await completeTask(db, { ...second, result: {} })).status, 'current')
})

queueTest('a renewed lease lives on and carries the progress', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const [task] = await lease(nodeId, 1, -1000)
  const held = [{ taskId: task?.id ?? '', attempt: 1, framesDone: 140, previews: 0 }]
  t.deepEqual(await renewLeases(db, { renewals: [{ nodeId, held }], leaseMs }), [])
  t.deepEqual(await expireLeases(db), [])
  const row = await db.selectFrom('tasks').select('frames_done').executeTakeFirstOrThrow()
  t.is(row.frames_done, 100, 'never more than the task has')
})

queueTest('the third node that fails a task ends it with a reason', async (t) => {
  const job = await newJob()
  const nodes = await Promise.all(Array.from({ length: 4 }, () => addNode(db)))
  await addTask(db, job)
  const tried: string[] = []
  for (const retried of [true, true, false]) {
    let held: Awaited<ReturnType<typeof leaseOne>> | undefined
    for (const node of nodes) {
      if (held === undefined && (await lease(node)).length > 0) {
        const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
        held = { nodeId: node, taskId: row.id, attempt: row.attempt }
      }
    }
    if (held === undefined) return t.fail('a node must get the task')
    tried.push(held.nodeId)
    const failed = await failTask(db, { ...held, failure: broken })
    t.deepEqual(failed, {
      status: 'current',
      answer: { jobId: job.jobId, kind: 'render', retried },
    })
    t.deepEqual(await failTask(db, { ...held, failure: broken }), {
      status: 'repeated',
      answer: { jobId: job.jobId, kind: 'render', retried },
    })
  }
  t.is(new Set(tried).size, 3)
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.is(row.state, 'failed')
  t.is(row.log_tail, 'tail')
  const [word, ...more] = await wordsOf(row.id)
  t.is(more.length, 0)
  t.like(word?.outcome, { state: 'failed', error: { code: 'internal' } })
  t.regex(JSON.stringify(word?.outcome), /All 3 attempts failed.*It broke\./)
})

queueTest('a task whose address failed waits, and any node is given it then', async (t) => {
  const job = await newJob()
  const nodes = [await addNode(db), await addNode(db)]
  await addTask(db, job)
  const failure = { ...broken, code: 'media_unreachable' as const }
  const [first = ''] = nodes
  for (let tries = 1; tries < 5; tries += 1) {
    const held = await leaseOne(first)
    t.like(await failTask(db, { ...held, failure }), { answer: { retried: true } })
    for (const node of nodes) t.deepEqual(await lease(node, 9), [], 'not before its time')
    const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
    t.like(row, { state: 'queued', failed_nodes: [] })
    t.true((row.not_before?.getTime() ?? 0) > Date.now())
    await db.updateTable('tasks').set({ not_before: new Date() }).execute()
  }
  const ended = await failTask(db, { ...(await leaseOne(first)), failure })
  t.like(ended, { answer: { retried: false } })
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.regex(row.error?.message ?? '', /in the last of 5 attempts/)
})

queueTest('a certain answer of an address ends the task at its first try', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const failure = { ...broken, code: 'media_unreachable' as const, retry: { triesMax: 1 } }
  const ended = await failTask(db, { ...(await leaseOne(nodeId)), failure })
  t.like(ended, { answer: { retried: false } })
})

queueTest('a farm of one node tries three times itself', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const retried: (boolean | undefined)[] = []
  for (let i = 0; i < 3; i++) {
    const failed = await failTask(db, { ...(await leaseOne(nodeId)), failure: broken })
    retried.push('answer' in failed ? failed.answer.retried : undefined)
  }
  t.deepEqual(retried, [true, true, false])
  t.deepEqual(await lease(nodeId), [])
})

queueTest('a task that kills its node each time ends as lost', async (t) => {
  const job = await newJob()
  await addTask(db, job)
  for (let i = 0; i < 3; i++) {
    t.is((await lease(await addNode(db), 1, -1000)).length, 1)
    await expireLeases(db)
  }
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.is(row.state, 'failed')
  t.is(row.error?.code, 'node_lost')
})

queueTest("a customer's final error ends the task at once", async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const held = await leaseOne(nodeId)
  const failure = {
    code: 'media_invalid',
    message: 'The file must be a picture. Got text',
    field: 'visuals[0].src',
    logTail: '',
  } as const
  t.deepEqual(await failTask(db, { ...held, failure }), {
    status: 'current',
    answer: { jobId: job.jobId, kind: 'render', retried: false },
  })
  const [word] = await wordsOf(held.taskId)
  t.deepEqual(word?.outcome, {
    state: 'failed',
    error: { code: failure.code, message: failure.message, field: failure.field },
  })
})

queueTest('a task handed back keeps its place and counts no failure', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, { ...job, name: 'first' })
  await addTask(db, { ...job, name: 'second' })
  const held = await leaseOne(nodeId)
  await handBackTasks(db, { nodeId, attempts: [held] })
  t.deepEqual(await leaseOne(nodeId), { ...held, attempt: 2 })
  const rows = await db.selectFrom('tasks').select('failed_nodes').execute()
  t.deepEqual(
    rows.map((row) => row.failed_nodes),
    [[], []],
  )
})

queueTest('nodes stop the tasks of a cancelled job, and Temporal hears of it', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  await addTask(db, job)
  const held = await leaseOne(nodeId)
  await cancelTasksOfJob(db, job)
  t.deepEqual(
    await renewLeases(db, {
      renewals: [{ nodeId, held: [{ ...held, framesDone: 1, previews: 0 }] }],
      leaseMs,
    }),
    [{ nodeId, taskId: held.taskId, attempt: 1, reason: 'cancelled' }],
  )
  t.is((await completeTask(db, { ...held, result: {} })).status, 'stale')
  t.deepEqual(await lease(nodeId), [])
  const events = await db.selectFrom('task_words').selectAll().execute()
  t.deepEqual(
    events.map((event) => event.outcome.state),
    ['cancelled', 'cancelled'],
  )
})

queueTest('renewals and cancellations of many tasks never lock each other', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 40; i++) await addTask(db, job)
    const held = (await lease(nodeId, 40)).map(({ id, attempt }) => ({
      taskId: id,
      attempt,
      framesDone: 1,
      previews: 0,
    }))
    const shuffled = () => held.toSorted(() => Math.random() - 0.5)
    await Promise.all([
      ...Array.from({ length: 6 }, () =>
        renewLeases(db, { renewals: [{ nodeId, held: shuffled() }], leaseMs }),
      ),
      cancelTasksOfJob(db, job),
      handBackTasks(db, { nodeId, attempts: shuffled() }),
    ])
  }
  const live = await db.selectFrom('tasks').select('state').where('state', '=', 'leased').execute()
  t.deepEqual(live, [])
})

queueTest('a job that has ended gets no more tasks', async (t) => {
  const job = await newJob()
  const error = { code: 'internal', message: 'It broke.', details: [] } as const
  await settleJob(db, { ...job, reason: '', settlement: { to: 'failed', error } })
  t.deepEqual(await addTask(db, job), { live: false, outcome: { state: 'cancelled' } })
  t.is((await db.selectFrom('tasks').selectAll().execute()).length, 0)
})

queueTest('text that Postgres cannot hold is refused with a rule', async (t) => {
  const job = await newJob()
  for (const text of ['a\0b', '\ud800']) {
    await t.throwsAsync(addTask(db, { ...job, spec: { text } }), { message: /well-formed Unicode/ })
  }
  t.true((await addTask(db, { ...job, spec: { text: 'a\\u0000 😀' } })).live)
})

queueTest('an unknown task is unknown', async (t) => {
  const attempt = { nodeId: randomUUID(), taskId: randomUUID(), attempt: 1 }
  t.is((await completeTask(db, { ...attempt, result: {} })).status, 'unknown')
  t.is((await failTask(db, { ...attempt, failure: broken })).status, 'unknown')
})
