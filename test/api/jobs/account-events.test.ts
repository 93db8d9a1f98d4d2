import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { readEvents, type ServerEvent } from '../../../client/event-stream.ts'
import { createFarmClient } from '../../../client/farm-client.ts'
import { createKey, hashKey } from '../../../store/db/accounts/create-key.ts'
import { grantCredits } from '../../../store/db/accounts/grant-credits.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { renewLeases } from '../../../store/db/queue/renew-leases.ts'
import { addNode, addTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { bearer, signIn } from '../accounts.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway
let address: string

test.before(async () => {
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>
type Event = ServerEvent & { readonly body: Record<string, unknown> }

/** Opens a stream of an account; `next` waits for the next event, or the next that matches. */
async function open(t: ExecutionContext, headers: Record<string, string>, query = '') {
  const end = new AbortController()
  t.teardown(() => end.abort())
  const reply = await fetch(`${address}/api/events${query}`, { headers, signal: end.signal })
  const events = reply.ok && reply.body ? readEvents(reply.body, { quietMs: 60_000 }) : undefined
  return {
    reply,
    hangUp: () => end.abort(),
    async next(isIt: (event: Event) => boolean = () => true): Promise<Event | undefined> {
      for (;;) {
        const { done, value } = (await events?.next()) ?? { done: true, value: undefined }
        if (done || !value) return undefined
        const event = { ...value, body: JSON.parse(value.data) }
        if (isIt(event)) return event
      }
    },
  }
}

const withKey = ({ key }: Pick<Customer, 'key'>) => ({ 'x-api-key': key })
const submitted = async (customer: Customer): Promise<string> =>
  (await customer.post(renderPath, requestOf())).json().jobId
const isJob = (id: string) => (event: Event) => event.event === 'job' && event.body.id === id
const isCredits = ({ event }: Event) => event === 'credits'

test('a stream begins with hello and the balance, then tells new jobs', async (t) => {
  const customer = await gateway.customer(50)
  const stream = await open(t, withKey(customer))
  t.regex(stream.reply.headers.get('content-type') ?? '', /^text\/event-stream/)
  const hello = await stream.next()
  t.like(hello, { event: 'hello', body: { since: null } })
  t.true(Number.isFinite(Date.parse(String(hello?.body.now))))
  const credits = await stream.next()
  t.deepEqual(credits?.body, { balance: 50, reserved: 0, available: 50 })
  const jobId = await submitted(customer)
  const told = await stream.next(isJob(jobId))
  t.deepEqual(Object.keys(told?.body ?? {}).sort(), [
    ...['bulkId', 'createdAt', 'credits', 'etaSeconds', 'failedReason', 'framesPerSecond', 'id'],
    ...['name', 'previewUrl', 'progress', 'stage', 'state', 'thumbnailUrl', 'type'],
  ])
  t.like(told?.body, { state: 'queued', progress: 0, credits: 2, type: 'video', bulkId: null })
  t.deepEqual((await stream.next(isCredits))?.body, { balance: 50, reserved: 2, available: 48 })
  await customer.post(`/api/jobs/${jobId}/cancel`)
  const last = await stream.next(isJob(jobId))
  t.like(last?.body, { state: 'cancelled', credits: 0 })
  t.deepEqual((await stream.next(isCredits))?.body, { balance: 50, reserved: 0, available: 50 })
})

test('progress of any job is told as it is reported', async (t) => {
  const { db } = gateway
  const customer = await gateway.customer()
  const { accountId } = customer
  const jobId = await submitted(customer)
  const stream = await open(t, withKey(customer))
  await stream.next(isCredits)
  const job = { accountId, jobId }
  await enterStage(db, { ...job, stage: 'resolve' })
  await addTask(db, { ...job, kind: jobId as 'render' })
  await enterStage(db, { ...job, stage: 'render', frames: { total: 100, reused: 0, painted: 100 } })
  t.like((await stream.next(({ body }) => body.state === 'rendering'))?.body, { id: jobId })
  const nodeId = await addNode(db, { kinds: [jobId] })
  const lease = { leaseMs: 60_000, nodeLiveMs: 30_000 }
  const [task] = await leaseTasks(db, { wants: [{ nodeId, slots: 1 }], ...lease })
  const held = [{ taskId: task?.id ?? '', attempt: 1, framesDone: 40, previews: 0 }]
  await renewLeases(db, { renewals: [{ nodeId, held }], leaseMs: 60_000 })
  const told = await stream.next(({ body }) => Number(body.progress) > 30)
  t.like(told?.body, { id: jobId, stage: 'render' })
  t.true(Number(told?.body.framesPerSecond) > 0)
})

test('a bulk’s counts are told when its jobs change', async (t) => {
  const customer = await gateway.customer()
  const stream = await open(t, withKey(customer))
  await stream.next(isCredits)
  const items = [{ name: 'a' }, { name: 'b' }]
  const { bulkId } = (
    await customer.post('/api/render/bulk/api-key', { payload: film, items })
  ).json()
  const isBulk = ({ event, body }: Event) => event === 'bulk' && body.id === bulkId
  const first = await stream.next(isBulk)
  t.like(first?.body, { id: bulkId, state: 'running', items: 2, counts: { queued: 2 } })
  await customer.post(`/api/render/bulk/${bulkId}/cancel`)
  const last = await stream.next((event) => isBulk(event) && event.body.state === 'finished')
  t.like(last?.body, { counts: { queued: 0, cancelled: 2 } })
})

test('a stream that continues tells first what was missed', async (t) => {
  const customer = await gateway.customer()
  const [waits, ends] = [await submitted(customer), await submitted(customer)]
  const stream = await open(t, withKey(customer))
  const { id = '' } = (await stream.next()) ?? {}
  stream.hangUp()
  await customer.post(`/api/jobs/${ends}/cancel`)
  const old = await submitted(customer)
  await customer.post(`/api/jobs/${old}/cancel`)
  await sql`update jobs set finished_at = now() - interval '1 hour' where id = ${old}`.execute(
    gateway.db,
  )
  const since = new Date(Number(id)).toISOString()
  const ways = [
    await open(t, { ...withKey(customer), 'last-event-id': id }),
    await open(t, withKey(customer), `?since=${id}`),
    await open(t, withKey(customer), `?since=${since}`),
  ]
  for (const again of ways) {
    t.like(await again.next(), { event: 'hello', body: { since } })
    const told = [await again.next(), await again.next()].map((event) => event?.body)
    t.deepEqual(
      told.map((job) => [job?.id, job?.state]),
      [
        [waits, 'queued'],
        [ends, 'cancelled'],
      ],
    )
    t.is((await again.next())?.event, 'credits')
  }
})

test('a stream tells nothing of another account', async (t) => {
  const [one, other] = [await gateway.customer(), await gateway.customer()]
  const stream = await open(t, withKey(other), '?since=2020-01-01T00:00:00Z')
  await stream.next(isCredits)
  const foreign = await submitted(one)
  await one.post(`/api/jobs/${foreign}/cancel`)
  const own = await submitted(other)
  const told = await stream.next(({ event }) => event === 'job')
  t.is(told?.body.id, own)
})

test('a session follows too; a key without scope gets no balance', async (t) => {
  const customer = await gateway.customer()
  const { accessToken } = await signIn(gateway, customer.accountId)
  const session = await open(t, bearer(accessToken))
  t.is((await session.next(isCredits))?.event, 'credits')
  const { accountId } = customer
  const { key } = await createKey(gateway.db, { accountId, name: 'jobs', scopes: ['jobs'] })
  const limited = await open(t, withKey({ key }))
  t.is((await limited.next())?.event, 'hello')
  const jobId = await submitted(customer)
  t.is((await limited.next())?.body.id, jobId)
  await customer.post(`/api/jobs/${jobId}/cancel`)
  t.like((await limited.next())?.body, { id: jobId, state: 'cancelled' })
})

test('credits that an operator grants are told with the next change', async (t) => {
  const customer = await gateway.customer(50)
  const { accountId } = customer
  const stream = await open(t, withKey(customer))
  await stream.next(isCredits)
  await grantCredits(gateway.db, { accountId, credits: 7, note: 'test' })
  await submitted(customer)
  t.deepEqual((await stream.next(isCredits))?.body, { balance: 57, reserved: 2, available: 55 })
})

test('a stream ends once its key or session is invalid', async (t) => {
  const customer = await gateway.customer()
  const revoked = await customer.anotherKey()
  const stays = await open(t, withKey(customer))
  const ends = await open(t, withKey({ key: revoked }))
  for (const stream of [stays, ends]) await stream.next(isCredits)
  await gateway.db
    .updateTable('api_keys')
    .where('sha256', '=', hashKey(revoked))
    .set({ revoked_at: new Date() })
    .execute()
  const jobId = await submitted(customer)
  t.is((await stays.next(isJob(jobId)))?.body.state, 'queued')
  t.is(await ends.next(), undefined)
})

test('an account has at most twenty streams, and places become free', async (t) => {
  const customer = await gateway.customer()
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(t, withKey(customer))))
  t.true(streams.every(({ reply }) => reply.status === 200))
  const refused = await open(t, withKey(customer))
  t.is(refused.reply.status, 429)
  t.is(refused.reply.headers.get('retry-after'), '10')
  t.regex(await refused.reply.text(), /<= 20 streams of \/api\/events open at a time/)
  streams[0]?.hangUp()
  for (;;) {
    const { reply } = await open(t, withKey(customer))
    if (reply.status === 200) return t.pass()
    await sleep(50)
  }
})

test('a time that cannot be read is refused by name', async (t) => {
  const customer = await gateway.customer()
  for (const since of ['yesterday', '9999999999999999999']) {
    const reply = await customer.get(`/api/events?since=${since}`)
    t.is(reply.statusCode, 422)
    t.is(reply.json().details[0].field, 'since')
  }
})

test('a connection to the database that breaks loses no change', async (t) => {
  const customer = await gateway.customer()
  const jobId = await submitted(customer)
  const stream = await open(t, withKey(customer))
  await stream.next(isCredits)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where query = 'listen job_changes' and datname = current_database()`.execute(gateway.db)
  await customer.post(`/api/jobs/${jobId}/cancel`)
  const isCancelled = (event: Event) => isJob(jobId)(event) && event.body.state === 'cancelled'
  t.truthy(await stream.next(isCancelled))
})

test('the client continues a broken stream where it ended', async (t) => {
  const customer = await gateway.customer()
  let opened = 0
  const fetchOnce: typeof fetch = async (url, init) => {
    opened += 1
    const reply = await fetch(url, init)
    if (opened > 1) return reply
    // The first stream ends after its first events.
    const reader = reply.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()
    return new Response(value, { headers: reply.headers })
  }
  const farm = createFarmClient({ url: address, apiKey: customer.key, fetch: fetchOnce })
  const end = new AbortController()
  const events = farm.events({ signal: end.signal })
  t.is((await events.next()).value?.event, 'hello')
  const jobId = await submitted(customer)
  for await (const { event, data } of events) {
    if (event === 'job' && data.id === jobId) break
  }
  t.true(opened >= 2)
})
