import { randomUUID } from 'node:crypto'
import { listOffers } from '../../../../store/db/fleet/list-offers.ts'
import { readNodeRecord } from '../../../../store/db/fleet/read-node-record.ts'
import { countAttempts, failTask } from '../../../../store/db/queue/fail-task.ts'
import { listQueue } from '../../../../store/db/queue/list-queue.ts'
import { readWaiting } from '../../../../store/db/queue/read-waiting.ts'
import { refuseTask } from '../../../../store/db/queue/refuse-task.ts'
import { retryTask } from '../../../../store/db/queue/retry-task.ts'
import { addNode, addTask } from '../../database.ts'
import { startQueue } from './queue.ts'

const { db, queueTest, lease, newJob } = await startQueue()

const refusal = {
  code: 'unavailable',
  message: 'Another engine made the plan.',
  logTail: '',
} as const
const lanes = () => listQueue(db, { seenWithinMs: 30_000, limit: 9 })

queueTest('a node never gets a task of another engine', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, requirements: { engine: '12' } })
  const newer = await addNode(db, {}, { version: '13' })
  t.deepEqual(await lease(newer), [])
  t.like((await lanes())[0], { queued: 1, missing: ['engine 12'] })
  const waiting = await readWaiting(db, job.jobId)
  t.like(waiting, { reason: 'missing_capability', missing: ['engine 12'] })
  t.regex(waiting?.message ?? '', /The nearest lacks engine 12\.$/)
  const older = await addNode(db, {}, { version: '12' })
  t.is((await lease(older)).length, 1)
})

queueTest('the engine of a node is its version, whoever registers it', async (t) => {
  await addNode(db, { engine: 'forged' }, { version: '12' })
  const [known] = await listOffers(db, { seenWithinMs: 30_000 })
  t.is(known?.offer.engine, '12')
})

queueTest('a refused task counts no failure and goes to another node', async (t) => {
  const job = await newJob()
  await addTask(db, job)
  const nodes = [await addNode(db), await addNode(db), await addNode(db), await addNode(db)]
  for (const nodeId of nodes.slice(0, 3)) {
    const [task] = await lease(nodeId)
    if (task === undefined) return t.fail('a node must get the task')
    const attempt = { nodeId, taskId: task.id, attempt: task.attempt }
    t.like(await refuseTask(db, { ...attempt, failure: refusal }), { status: 'current' })
    t.like(await refuseTask(db, { ...attempt, failure: refusal }), { status: 'repeated' })
    t.deepEqual(await lease(nodeId), [], 'while another could take it')
    await db.updateTable('tasks').set({ not_before: null }).execute()
  }
  const [last = ''] = nodes.slice(3)
  const [task] = await lease(last)
  const attempt = { nodeId: last, taskId: task?.id ?? '', attempt: task?.attempt ?? 0 }
  const failed = await failTask(db, { ...attempt, failure: { ...refusal, code: 'internal' } })
  t.like(failed, { status: 'current', answer: { retried: true } }, 'it is the first failure')
  for (const nodeId of nodes.slice(0, 3)) {
    t.deepEqual(await readNodeRecord(db, nodeId), { blamed: 0, succeeded: 0 })
  }
})

queueTest('after a retry by hand, neither failures nor refusals before it count', async (t) => {
  const job = await newJob()
  await addTask(db, job)
  const nodes = [await addNode(db), await addNode(db), await addNode(db), await addNode(db)]
  const [first = '', ...others] = nodes
  const begin = async (nodeId: string) => {
    const [task] = await lease(nodeId)
    if (task === undefined) throw new Error('the node must get the task')
    return { nodeId, taskId: task.id, attempt: task.attempt }
  }
  const broken = { ...refusal, code: 'internal' } as const
  const away = { ...refusal, code: 'media_unreachable' } as const
  const refused = await begin(first)
  await refuseTask(db, { ...refused, failure: refusal })
  for (const [at, failure] of [broken, away].entries()) {
    const attempt = await begin(others[at] ?? '')
    t.like(await failTask(db, { ...attempt, failure }), { answer: { retried: true } })
  }
  t.deepEqual(await countAttempts(db, refused.taskId), { unreachable: 1, refused: 1 })
  t.is(await retryTask(db, refused.taskId), 'queued')
  t.deepEqual(await countAttempts(db, refused.taskId), { unreachable: 0, refused: 0 })
  const retried: boolean[] = []
  for (const nodeId of others) {
    const done = await failTask(db, { ...(await begin(nodeId)), failure: broken })
    retried.push(done.status === 'current' && done.answer.retried)
  }
  t.deepEqual(retried, [true, true, false], 'the third failure since then ends it')
})

queueTest('a task that every node refuses waits longer each time', async (t) => {
  const job = await newJob()
  await addTask(db, job)
  const nodeId = await addNode(db)
  for (const isDelayed of [false, true]) {
    const [task] = await lease(nodeId)
    const attempt = { nodeId, taskId: task?.id ?? randomUUID(), attempt: task?.attempt ?? 0 }
    await refuseTask(db, { ...attempt, failure: refusal })
    const row = await db.selectFrom('tasks').select(['state', 'not_before']).executeTakeFirst()
    t.like(row, { state: 'queued' })
    t.is(row?.not_before !== null, isDelayed)
  }
  t.deepEqual(await lease(nodeId), [])
  const waiting = await readWaiting(db, job.jobId)
  t.like(waiting, { reason: 'missing_capability' })
  t.regex(waiting?.message ?? '', /Another engine made the plan\. It is offered again in \d+ s\.$/)
})
