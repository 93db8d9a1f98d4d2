import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { cancelBulk } from '../../../store/db/bulks/cancel-bulk.ts'
import { type BulkView, getBulk } from '../../../store/db/bulks/get-bulk.ts'
import { insertBulkWithHold } from '../../../store/db/bulks/insert-bulk-with-hold.ts'
import { cancelJob } from '../../../store/db/jobs/cancel-job.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { bulkJobEndedSignal, bulkRenderId, renderGroupId } from '../../../workflows/contract.ts'
import { addAccount } from '../../store/database.ts'
import { type Answer, startPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

let parts: Parts

test.before(async () => {
  parts = await startParts()
})
test.after.always(() => parts?.stop())

const window = plans.free.bulkInFlight
const template = {
  payload: {
    ...{ width: 100, height: 60, frameRate: 10, duration: 1 },
    visuals: [{ type: 'TEXT', html: '{{ who }}' }],
  },
}

/**
 * Submits a bulk as the api does while Temporal is away, for the sweeper to find. It ends with its
 * test.
 */
async function submitBulk(
  t: ExecutionContext,
  accountId: string,
  count: number,
  base: object = template,
) {
  const bulkId = `blk_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const jobs = Array.from({ length: count }, (_, index) => ({
    ...{ id: randomUUID(), index, type: 'video' as const, name: `${index}`, credits: 1 },
    ...{ item: { variables: { who: `guest ${index}` } }, warnings: [] },
  }))
  const bulk = { id: bulkId, accountId, name: 'party', base, items: count, refused: [], jobs }
  const inserted = await insertBulkWithHold(parts.db, bulk)
  if (inserted.outcome !== 'inserted') throw new Error(inserted.outcome)
  await parts.db
    .updateTable('bulks')
    .set({ created_at: new Date(Date.now() - 60_000) } as never)
    .where('id', '=', bulkId)
    .execute()
  const ids = { accountId, bulkId, jobIds: inserted.jobIds }
  t.teardown(() => cancelBulk(parts.db, { ...ids, reason: 'the test is over' }))
  return ids
}

async function until(
  ids: { accountId: string; bulkId: string },
  isIt: (counts: Record<string, number>, bulk: BulkView) => boolean,
): Promise<Record<string, number>> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const bulk = await getBulk(parts.db, ids)
    const counts = Object.fromEntries((bulk?.parts ?? []).map(({ state, jobs }) => [state, jobs]))
    if (bulk && isIt(counts, bulk)) return counts
    if (Date.now() > deadline) throw new Error(JSON.stringify(counts))
    await sleep(20)
  }
}

/** Waits for tasks: a job enters its stage before the stage's tasks are queued. */
async function untilQueued(jobId: string): Promise<void> {
  const task = parts.db.selectFrom('tasks').select('id').where('job_id', '=', jobId)
  const deadline = Date.now() + 60_000
  while (!(await task.executeTakeFirst())) {
    if (Date.now() > deadline) throw new Error(`Nothing of job ${jobId} came into the queue`)
    await sleep(20)
  }
}

const untilFinished = (ids: { accountId: string; bulkId: string }) =>
  until(ids, (_, { finishedAt }) => finishedAt !== null)

async function startedOf(bulkId: string): Promise<number[]> {
  const rows = await parts.db
    .selectFrom('jobs')
    .select('bulk_index')
    .where('bulk_id', '=', bulkId)
    .where('workflow_started_at', 'is not', null)
    .orderBy('bulk_index')
    .execute()
  return rows.map((row) => row.bulk_index ?? -1)
}

async function startNode(t: ExecutionContext, answer: Answer = () => 'answer') {
  const node = await startPaperNode({ ...parts, answer })
  const stop = async () => {
    await node.stop()
    await parts.db.deleteFrom('nodes').execute()
  }
  t.teardown(stop)
  return { ...node, stop }
}

async function clientOf(t: ExecutionContext): Promise<Client> {
  const connection = await Connection.connect(parts.config.temporal.server)
  t.teardown(() => connection.close())
  return new Client({ connection })
}

async function workflowOf(t: ExecutionContext, bulkId: string) {
  return (await clientOf(t)).workflow.getHandle(bulkRenderId(bulkId))
}

async function groupsOf(bulkId: string): Promise<(string | null)[]> {
  const jobs = parts.db.selectFrom('jobs').select('workflow_group').where('bulk_id', '=', bulkId)
  return (await jobs.orderBy('bulk_index').execute()).map((job) => job.workflow_group)
}

test.serial('a bulk keeps a window of jobs in flight, in order, throughout', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), window + 5)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  t.deepEqual(await startedOf(ids.bulkId), [...Array(window).keys()])
  const node = await startNode(t)
  t.deepEqual(await untilFinished(ids), { completed: window + 5 })
  t.is(node.done.filter(({ kind }) => kind === 'render').length, window + 5)
  const credits = await parts.db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', ids.accountId)
    .executeTakeFirst()
  t.deepEqual(credits, { balance: 1000 - window - 5, reserved: 0 })
})

test.serial('another account’s job gets its turn before the bulk that came first', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), 3 * window)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  const other = await addAccount(parts.db)
  const single = await parts.submit(other, {
    ...template.payload,
    visuals: [{ type: 'TEXT', html: 'Hi' }],
  })
  await untilQueued(single)
  const node = await startNode(t)
  const job = await parts.waitUntil(other, single)
  t.is(job.state, 'completed')
  // Earlier grants only had the same start tags.
  const kinds = node.done.map(({ jobId }) => (jobId === single ? 'single' : 'bulk'))
  t.true(kinds.indexOf('single') <= 1, kinds.join(' '))
})

test.serial('a bulk fetches a URL once, or twice at different moments', async (t) => {
  t.timeout(180_000)
  const photo = { type: 'IMAGE', src: 'https://example.com/photo.png', width: 20, height: 20 }
  const payload = { ...template.payload, visuals: [...template.payload.visuals, photo] }
  const ids = await submitBulk(t, await addAccount(parts.db), window + 5, { payload })
  await until(ids, ({ resolving = 0 }) => resolving === window)
  const node = await startNode(t)
  t.deepEqual(await untilFinished(ids), { completed: window + 5 })
  t.true(node.done.filter(({ kind }) => kind === 'ingest').length <= 2)
})

test.serial('a bulk’s common URL that leads nowhere fails all its jobs', async (t) => {
  t.timeout(180_000)
  const photo = { type: 'IMAGE', src: 'https://example.com/nowhere.png', width: 20, height: 20 }
  const payload = { ...template.payload, visuals: [photo] }
  const error = 'The file must be a picture. Got a text'
  const node = await startNode(t, ({ kind }) => (kind === 'ingest' ? { error } : 'answer'))
  const ids = await submitBulk(t, await addAccount(parts.db), window + 5, { payload })
  t.deepEqual(await untilFinished(ids), { failed: window + 5 })
  t.true(node.done.every(({ kind }) => kind === 'ingest'))
})

test.serial('a job cancelled alone leaves its place to the next one', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), window + 1)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  const [first = ''] = ids.jobIds
  await cancelJob(parts.db, { accountId: ids.accountId, jobId: first, reason: 'test' })
  await until(ids, ({ resolving = 0 }) => resolving === window)
  t.is((await startedOf(ids.bulkId)).at(-1), window)
})

test.serial('a cancelled bulk ends with its workflow and holds nothing more', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), 2 * window)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  t.is(await cancelBulk(parts.db, { ...ids, reason: 'test' }), 2 * window)
  t.deepEqual(await untilFinished(ids), { cancelled: 2 * window })
  const account = await parts.db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', ids.accountId)
    .executeTakeFirst()
  t.deepEqual(account, { balance: 1000, reserved: 0 })
  await (await workflowOf(t, ids.bulkId)).result()
  t.is((await startedOf(ids.bulkId)).length, window)
})

test.serial('a bulk whose workflow was ended from outside goes on with another', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), window + 3)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  await (await workflowOf(t, ids.bulkId)).terminate('for the test')
  await parts.db
    .updateTable('bulks')
    .set({ workflow_seen_at: new Date(Date.now() - 120_000) })
    .where('id', '=', ids.bulkId)
    .execute()
  await startNode(t)
  t.deepEqual(await untilFinished(ids), { completed: window + 3 })
})

test.serial('a long history begins anew, and a restarted role goes on', async (t) => {
  t.timeout(240_000)
  const ids = await submitBulk(t, await addAccount(parts.db), window + 3)
  await until(ids, ({ resolving = 0 }) => resolving === window)
  const workflow = await workflowOf(t, ids.bulkId)
  const { runId } = await workflow.describe()
  // Signals repeatedly, until the history's turns are used up; signals that come together make
  // one turn.
  while ((await workflow.describe()).runId === runId) {
    await workflow.signal(bulkJobEndedSignal)
    await sleep(50)
  }
  await parts.restartWorkflows()
  const node = await startNode(t)
  t.deepEqual(await untilFinished(ids), { completed: window + 3 })
  t.is(node.done.filter(({ kind }) => kind === 'render').length, window + 3)
})

test.serial('a failing item of a bulk affects no other job', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), 6)
  await until(ids, ({ resolving = 0 }) => resolving === 6)
  t.is(new Set(await groupsOf(ids.bulkId)).size, 1)
  const [failing = '', rogue = '', cancelled = ''] = ids.jobIds
  await cancelJob(parts.db, { accountId: ids.accountId, jobId: cancelled, reason: 'test' })
  await startNode(t, ({ jobId }) => {
    if (jobId === failing) return { error: 'not what the request says' }
    return jobId === rogue ? { result: { bakes: 'none' } } : 'answer'
  })
  t.deepEqual(await untilFinished(ids), { completed: 3, failed: 2, cancelled: 1 })
  const codeOf = async (jobId: string) =>
    (await getJob(parts.db, { accountId: ids.accountId, jobId }))?.error?.code
  t.deepEqual([await codeOf(failing), await codeOf(rogue)], ['media_invalid', 'internal'])
})

test.serial('jobs whose shared workflow Temporal lost go on with their own', async (t) => {
  t.timeout(180_000)
  const ids = await submitBulk(t, await addAccount(parts.db), 4)
  await until(ids, ({ resolving = 0 }) => resolving === 4)
  for (const jobId of ids.jobIds) await untilQueued(jobId)
  const [group] = await groupsOf(ids.bulkId)
  const client = await clientOf(t)
  const workflowId = renderGroupId(group ?? '')
  const workflow = client.workflow.getHandle(workflowId)
  await client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
  })
  await t.throwsAsync(async () => {
    for (;;) await workflow.describe()
  })
  await parts.db
    .updateTable('jobs')
    .set({ updated_at: new Date(Date.now() - 120_000) } as never)
    .where('bulk_id', '=', ids.bulkId)
    .execute()
  while ((await groupsOf(ids.bulkId)).some((each) => each !== null)) await sleep(20)
  await startNode(t)
  t.deepEqual(await untilFinished(ids), { completed: 4 })
})
