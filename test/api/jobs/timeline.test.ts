import test from 'ava'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { expireLeases } from '../../../store/db/queue/expire-leases.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { renewLeases } from '../../../store/db/queue/renew-leases.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addNode, addTask, completeTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const lease = { leaseMs: 60_000, nodeLiveMs: 30_000 }
const plan = {
  segments: ['a', 'b', 'a', 'c'].map((fingerprint, i) => ({
    ...{ index: i, start: i * 60, frames: 60, fingerprint },
  })),
  timeline: { firstSecond: 0, frameRate: 30, scenes: [], elements: [] },
}

type Timeline = {
  readonly job: Record<string, string | null>
  readonly stages: readonly { name: string; begun: string; ended: string | null }[]
  readonly tasks: readonly {
    id: string
    kind: string
    state: string
    queuedAt: string
    segments: number[]
  }[]
  readonly attempts: readonly Record<string, unknown>[]
  readonly segments: readonly { index: number; firstFrame: number; state: string }[]
}

async function submitted() {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  return { ...customer, jobId: String(jobId) }
}

function raise(): never {
  throw new Error('The job must have a task')
}

type Job = Awaited<ReturnType<typeof submitted>>

async function timelineOf({ get, jobId }: Pick<Job, 'get' | 'jobId'>): Promise<Timeline> {
  const reply = await get(`/api/jobs/${jobId}/timeline`)
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}

/** Plans a film of four segments, of which one task renders the first two. */
async function planned() {
  const { db } = gateway
  const job = await submitted()
  const { accountId, jobId } = job
  await enterStage(db, { accountId, jobId, stage: 'resolve' })
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const spec = { segments: [0, 1], assemble: false }
  // Only nodes of this test take it.
  await addTask(db, { accountId, jobId, spec, requirements: { tags: [jobId] } })
  const { id: taskId } = await db
    .selectFrom('tasks')
    .select('id')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  const frames = { total: 240, reused: 60, painted: 120 }
  await enterStage(db, { accountId, jobId, stage: 'render', frames })
  return { ...job, taskId }
}

async function leasedFor(jobId: string): Promise<{ nodeId: string; attempt: number }> {
  const nodeId = await addNode(gateway.db, { tags: [jobId] })
  const [task] = await leaseTasks(gateway.db, { wants: [{ nodeId, slots: 1 }], ...lease })
  if (!task) throw new Error('The task must be leased')
  return { nodeId, attempt: task.attempt }
}

test('a queued job has its times and nothing else', async (t) => {
  const job = await submitted()
  const { job: times, ...rest } = await timelineOf(job)
  t.deepEqual(rest, { stages: [], tasks: [], attempts: [], segments: [] })
  t.like(times, { startedAt: null, endedAt: null })
})

test('a lost attempt and its successor are told, machines by alias', async (t) => {
  const job = await planned()
  const { taskId } = job
  const first = await leasedFor(job.jobId)
  await sql`update attempts set expires_at = now() - interval '1 s'
    where task_id = ${taskId}`.execute(gateway.db)
  await expireLeases(gateway.db)
  await sql`update tasks set not_before = null where id = ${taskId}`.execute(gateway.db)
  const second = await leasedFor(job.jobId)
  const held = [{ taskId, attempt: 2, framesDone: 70, previews: 0, written: ['segment-0'] }]
  const renewals = [{ nodeId: second.nodeId, held }]
  await renewLeases(gateway.db, { renewals, leaseMs: 60_000 })
  const told = await timelineOf(job)
  const [{ queuedAt, ...task } = raise()] = told.tasks
  t.deepEqual(task, { id: taskId, kind: 'render', state: 'leased', segments: [0, 1] })
  t.true(queuedAt <= String(told.attempts[0]?.leasedAt))
  t.like(told.attempts[0], {
    ...{ taskId, number: 1, machine: 'machine 1', state: 'lost', segments: [0, 1] },
    reason: 'The machine fell silent',
  })
  t.not(told.attempts[0]?.endedAt, null)
  t.like(told.attempts[1], {
    ...{ taskId, number: 2, machine: 'machine 2', state: 'running', frames: 70 },
    ...{ reason: null, endedAt: null },
  })
  for (const { nodeId } of [first, second]) t.false(JSON.stringify(told).includes(nodeId))
  t.deepEqual(
    told.segments.map(({ firstFrame, state }) => [firstFrame, state]),
    [
      [0, 'done'],
      [60, 'rendering'],
      [120, 'repeated'],
      [180, 'reused'],
    ],
  )
  t.deepEqual(
    told.stages.map(({ name, ended }) => [name, ended === null]),
    [
      ['resolve', false],
      ['render', true],
    ],
  )
  t.is(told.stages[0]?.ended, told.stages[1]?.begun)
})

test('the text of a farm’s own failure stays with the farm', async (t) => {
  const job = await planned()
  const { taskId } = job
  const { nodeId } = await leasedFor(job.jobId)
  const failed = async (error: object) => {
    await sql`update attempts set state = 'failed', ended_at = now(),
      error = ${JSON.stringify(error)}::jsonb where task_id = ${taskId}`.execute(gateway.db)
    return (await timelineOf(job)).attempts[0]?.reason
  }
  t.is(await failed({ code: 'internal', message: `${nodeId}: /srv/secret` }), 'The farm failed')
  t.is(await failed({ code: 'disk_full', message: 'of node-7' }), 'No disk space left')
  t.is(await failed({ code: 'media_invalid', message: 'A JPEG. Got HTML' }), 'A JPEG. Got HTML')
})

test('an ended job shows what was done and when it ended', async (t) => {
  const job = await planned()
  const { taskId } = job
  const { nodeId, attempt } = await leasedFor(job.jobId)
  await completeTask(gateway.db, { nodeId, taskId, attempt, result: {} })
  await job.post(`/api/jobs/${job.jobId}/cancel`)
  const told = await timelineOf(job)
  t.not(told.job.endedAt, null)
  t.is(told.stages.at(-1)?.ended, told.job.endedAt)
  t.deepEqual(
    told.segments.map(({ state }) => state),
    ['done', 'done', 'repeated', 'reused'],
  )
})

test('a timeline is its account’s own', async (t) => {
  const job = await planned()
  const { get } = await gateway.customer()
  t.is((await get(`/api/jobs/${job.jobId}/timeline`)).statusCode, 404)
})

test('the client reads a timeline', async (t) => {
  const { jobId, key } = await planned()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const { segments } = await createFarmClient({ url, apiKey: key }).timeline(jobId)
  t.is(segments.length, 4)
})
