import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { hashKey } from '../../../store/db/accounts/create-key.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { handBackTasks } from '../../../store/db/queue/hand-back-tasks.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { renewLeases } from '../../../store/db/queue/renew-leases.ts'
import { taskOutputKey } from '../../../store/objects/keys.ts'
import { addNode, addTask, completeTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { bearer, signIn } from '../accounts.ts'
import { eventsOf, type JobEvent } from '../event-stream.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>

function address(): string {
  const { port } = gateway.server.server.address() as { port: number }
  return `http://127.0.0.1:${port}`
}

/** Opens a stream of a job's events; `next` waits for one that matches. */
async function open(
  t: ExecutionContext,
  { key }: Pick<Customer, 'key'>,
  jobId: string,
  headers: Record<string, string> = {},
) {
  const end = new AbortController()
  t.teardown(() => end.abort())
  const reply = await fetch(`${address()}/api/jobs/${jobId}/events`, {
    headers: { ...(key !== '' && { 'x-api-key': key }), ...headers },
    signal: end.signal,
  })
  const events = reply.ok && reply.body ? eventsOf(reply.body) : undefined
  return {
    reply,
    hangUp: () => end.abort(),
    async next(isIt: (event: JobEvent) => boolean = () => true): Promise<JobEvent | undefined> {
      for (;;) {
        const { done, value } = (await events?.next()) ?? { done: true, value: undefined }
        if (done) return undefined
        if (isIt(value)) return value
      }
    },
  }
}

async function submitted(customer: Customer): Promise<string> {
  return (await customer.post(renderPath, requestOf())).json().jobId
}

/** Advances a job to half of its one render task, which a node holds. */
async function renderedHalf({ accountId }: Customer, jobId: string) {
  const { db } = gateway
  const job = { accountId, jobId }
  await enterStage(db, { ...job, stage: 'resolve' })
  const kind = jobId
  await addTask(db, { ...job, kind: kind as 'render', outputs: ['segment-0', 'preview'] })
  await enterStage(db, { ...job, stage: 'render', frames: { total: 100, reused: 0, painted: 40 } })
  const nodeId = await addNode(db, { kinds: [kind] })
  const [task] = await leaseTasks(db, {
    wants: [{ nodeId, slots: 1 }],
    leaseMs: 60_000,
    nodeLiveMs: 30_000,
  })
  if (!task) throw new Error('The task must be leased')
  return { nodeId, taskId: task.id, attempt: task.attempt }
}

const progressOf = ({ job }: JobEvent) => job.progress as number
const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }
const links = { url: 'https://example.com/', thumbnailUrl: null }
const files = { outputKey: 'accounts/a/output', thumbnailKey: null, links }

test('streams tell the current state, then each change until the job ends', async (t) => {
  const customer = await gateway.customer()
  const jobId = await submitted(customer)
  const stream = await open(t, customer, jobId)
  t.regex(stream.reply.headers.get('content-type') ?? '', /^text\/event-stream/)
  const first = await stream.next()
  t.like(first?.job, { id: jobId, state: 'queued', progress: 0, previewUrl: null })
  const attempt = await renderedHalf(customer, jobId)
  await stream.next(({ job }) => job.state === 'rendering')
  const held = [{ ...attempt, framesDone: 40, previews: 1 }]
  await renewLeases(gateway.db, { renewals: [{ nodeId: attempt.nodeId, held }], leaseMs: 60_000 })
  const half = await stream.next((event) => progressOf(event) === 41)
  t.like(half?.job, {
    stage: 'render',
    frames: { total: 100, done: 40, reused: 0, painted: 40, repeated: 60 },
  })
  t.true((half?.job.framesPerSecond as number) > 0)
  t.true((half?.job.etaSeconds as number) >= 1)
  const preview = taskOutputKey({ ...customer, ...attempt, name: 'preview' })
  t.is(new URL(String(half?.job.previewUrl)).pathname, `/objects/${preview}`)
  await settleJob(gateway.db, {
    ...{ accountId: customer.accountId, jobId, reason: 'test' },
    settlement: { to: 'completed', result, ...files },
  })
  const last = await stream.next(({ job }) => job.state === 'completed')
  t.like(last?.job, { progress: 100, etaSeconds: null })
  t.is(await stream.next(), undefined)
})

test('a reconnecting listener gets the present state; after the end, nothing', async (t) => {
  const customer = await gateway.customer()
  const jobId = await submitted(customer)
  const stream = await open(t, customer, jobId)
  const first = await stream.next()
  stream.hangUp()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  const again = await open(t, customer, jobId, { 'last-event-id': first?.id ?? '' })
  const last = await again.next()
  t.is(last?.job.state, 'cancelled')
  t.not(last?.id, first?.id)
  t.is(await again.next(), undefined)
  const after = await open(t, customer, jobId, { 'last-event-id': last?.id ?? '' })
  t.is(after.reply.status, 204)
})

test('a stream ends silently once its key or session is invalid', async (t) => {
  const { db } = gateway
  const customer = await gateway.customer()
  const { accountId } = customer
  const jobId = await submitted(customer)
  const [revoked, expired] = [await customer.anotherKey(), await customer.anotherKey()]
  const { accessToken } = await signIn(gateway, accountId)
  const stays = await open(t, customer, jobId)
  const ending = [
    await open(t, { key: revoked }, jobId),
    await open(t, { key: expired }, jobId),
    await open(t, { key: '' }, jobId, bearer(accessToken)),
  ]
  for (const stream of [stays, ...ending]) t.is((await stream.next())?.job.state, 'queued')
  const keyOf = (key: string) => db.updateTable('api_keys').where('sha256', '=', hashKey(key))
  await keyOf(revoked).set({ revoked_at: new Date() }).execute()
  await keyOf(expired).set({ expires_at: new Date() }).execute()
  await db
    .updateTable('sessions')
    .where('account_id', '=', accountId)
    .set({ ended_at: new Date() })
    .execute()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  for (const stream of ending) t.is(await stream.next(), undefined)
  // Events about the reason for its wait may come in between.
  let told = await stays.next()
  while (told?.job.state === 'queued') told = await stays.next()
  t.is(told?.job.state, 'cancelled')
})

test('a preview is the newest, though its attempt was given up', async (t) => {
  const { db } = gateway
  const customer = await gateway.customer()
  const jobId = await submitted(customer)
  const job = async () => (await customer.get(`/api/jobs/${jobId}`)).json()
  const first = await renderedHalf(customer, jobId)
  const { nodeId, taskId } = first
  const renew = (attempt: number, previews: number) =>
    renewLeases(db, {
      renewals: [{ nodeId, held: [{ taskId, attempt, framesDone: 9, previews }] }],
      leaseMs: 9000,
    })
  t.like(await job(), { previewUrl: null, framesPerSecond: null, etaSeconds: null })
  await renew(1, 0)
  t.is((await job()).previewUrl, null)
  await renew(1, 2)
  t.regex((await job()).previewUrl, /\/1\/preview\?/)
  await handBackTasks(db, { nodeId, attempts: [first] })
  await leaseTasks(db, { wants: [{ nodeId, slots: 1 }], leaseMs: 9_000, nodeLiveMs: 30_000 })
  t.like(await job(), { framesPerSecond: null })
  t.regex((await job()).previewUrl, /\/1\/preview\?/)
  await renew(2, 1)
  t.regex((await job()).previewUrl, /\/2\/preview\?/)
  await completeTask(db, { nodeId, taskId, attempt: 2, result: {} })
  t.like(await job(), { etaSeconds: 0 })
})

test('streams are their account’s own, and no more than it may have', async (t) => {
  const [one, other] = [await gateway.customer(), await gateway.customer()]
  const jobId = await submitted(one)
  t.is((await open(t, other, jobId)).reply.status, 404)
  t.is((await open(t, { key: 'none' }, jobId)).reply.status, 401)
  t.is((await open(t, one, 'x')).reply.status, 400)
  await gateway.db
    .updateTable('accounts')
    .set({ plan: 'studio' })
    .where('id', '=', one.accountId)
    .execute()
  const streams = await Promise.all(Array.from({ length: 200 }, () => open(t, one, jobId)))
  t.true(streams.every(({ reply }) => reply.status === 200))
  const metrics = await gateway.context.metrics.registry.metrics()
  t.true(Number(/^farm_job_listeners(?:\{.*\})? (\d+)$/m.exec(metrics)?.[1]) >= 200)
  const refused = await open(t, one, jobId)
  t.is(refused.reply.status, 429)
  t.is(refused.reply.headers.get('retry-after'), '10')
  await freesPlaces(t, one, jobId, streams)
})

/** Checks that a released place is free again. */
async function freesPlaces(
  t: ExecutionContext,
  customer: Customer,
  jobId: string,
  streams: { hangUp: () => void }[],
) {
  for (const { hangUp } of streams) hangUp()
  for (;;) {
    const { reply } = await open(t, customer, jobId)
    if (reply.status === 200) return t.pass()
    t.is(reply.status, 429)
    await sleep(50)
  }
}

test('a connection to the database that breaks loses nothing', async (t) => {
  const customer = await gateway.customer()
  const jobId = await submitted(customer)
  const stream = await open(t, customer, jobId)
  await stream.next()
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where query = 'listen job_changes' and datname = current_database()`.execute(gateway.db)
  await customer.post(`/api/jobs/${jobId}/cancel`)
  t.is((await stream.next(({ job }) => job.state === 'cancelled'))?.job.id, jobId)
})
