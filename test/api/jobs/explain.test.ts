import test from 'ava'
import { createFarmClient } from '../../../client/farm-client.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addNode, addTask, completeTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const element = (field: string, begin: number, end: number) => ({ field, begin, end })
const plan = {
  segments: [],
  timeline: {
    ...{ firstSecond: 0, frameRate: 10 },
    scenes: [
      { begin: 0, end: 2, elements: [element('scenes[0].visuals[0]', 0, 2)] },
      { begin: 2, end: 4, elements: [element('scenes[1].visuals[0]', 2, 4)] },
    ],
    elements: [element('visuals[0]', 0, 4), element('visuals[1]', 3, 4)],
  },
}
const result = {
  segments: [],
  seconds: { clips: 3, encode: 1, segments: 4 },
  slowFrames: [{ frame: 25, sources: 200, paint: 30, encode: 10 }],
}

/** A job whose only task is done, with times that its node reported. */
async function rendered() {
  const { db } = gateway
  const customer = await gateway.customer()
  const { accountId } = customer
  const jobId: string = (await customer.post(renderPath, requestOf())).json().jobId
  await enterStage(db, { accountId, jobId, stage: 'resolve' })
  await gateway.objects.put(planKey({ accountId, jobId }), Buffer.from(JSON.stringify(plan)))
  const spec = { segments: [0], assemble: false }
  // Only a node of this test takes it.
  await addTask(db, { accountId, jobId, spec, requirements: { tags: [jobId] } })
  const frames = { total: 40, reused: 0, painted: 40 }
  await enterStage(db, { accountId, jobId, stage: 'render', frames })
  const nodeId = await addNode(db, { tags: [jobId] })
  const lease = { wants: [{ nodeId, slots: 1 }], leaseMs: 60_000, nodeLiveMs: 30_000 }
  const [task] = await leaseTasks(db, lease)
  if (!task) throw new Error('The task must be leased')
  await completeTask(db, { nodeId, taskId: task.id, attempt: task.attempt, result })
  return { ...customer, jobId, nodeId }
}

test('a job is explained by stages, steps, frames and elements', async (t) => {
  const { get, jobId, nodeId } = await rendered()
  const reply = await get(`/api/jobs/${jobId}/explain`)
  t.is(reply.statusCode, 200, reply.body)
  const told = reply.json()
  t.deepEqual(
    told.stages.map(({ name }: { name: string }) => name),
    ['queue', 'resolve', 'render'],
  )
  t.deepEqual(
    told.steps.map(({ label, seconds, share }: never) => [label, seconds, share]),
    [
      ['decoding clips', 3, 0.75],
      ['encoding', 1, 0.25],
    ],
  )
  t.deepEqual(told.slowFrames, [
    {
      ...{ frame: 25, second: 2.5, milliseconds: 240, mostly: 'sources' },
      elements: ['scenes[1].visuals[0]', 'visuals[0]'],
    },
  ])
  t.false(reply.body.includes(nodeId))
})

test('a job without its plan is explained without elements', async (t) => {
  const { get, jobId, accountId } = await rendered()
  await gateway.objects.remove([planKey({ accountId, jobId })])
  const [frame] = (await get(`/api/jobs/${jobId}/explain`)).json().slowFrames
  t.like(frame, { frame: 25, second: null, elements: [] })
})

test('explanations and the timeline read a plan once', async (t) => {
  const { get, jobId, accountId } = await rendered()
  const key = planKey({ accountId, jobId })
  const [first] = await Promise.all([
    get(`/api/jobs/${jobId}/explain`),
    get(`/api/jobs/${jobId}/timeline`),
  ])
  // The plan of a job never changes; one that is gone shows that it was kept.
  await gateway.objects.remove([key])
  const again = await get(`/api/jobs/${jobId}/explain`)
  t.deepEqual(again.json().slowFrames, first.json().slowFrames)
  t.is(again.json().slowFrames[0].second, 2.5)
})

test('a queued job has waited until now', async (t) => {
  const { get, post } = await gateway.customer()
  const { jobId } = (await post(renderPath, requestOf())).json()
  const { stages, steps } = (await get(`/api/jobs/${jobId}/explain`)).json()
  t.deepEqual([stages.length, stages[0].name, steps], [1, 'queue', []])
})

test('an explanation is its account’s own', async (t) => {
  const { jobId } = await rendered()
  const { get } = await gateway.customer()
  t.is((await get(`/api/jobs/${jobId}/explain`)).statusCode, 404)
})

test('the client reads an explanation', async (t) => {
  const { jobId, key } = await rendered()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const { advice } = await createFarmClient({ url, apiKey: key }).explain(jobId)
  t.is(typeof advice, 'string')
})
