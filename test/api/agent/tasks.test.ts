import type { TaskId } from '@modelcontextprotocol/ext-tasks/core'
import test from 'ava'
import { sql } from 'kysely'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { bearer } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { startHost } from '../oauth/agent-host.ts'
import { connect, listen } from './host.ts'
import { connectTaskHost, envelope, send, tasksExtension } from './task-host.ts'

/** Long renders are tasks for a host that knows the extension. Temporal is away: all stay queued. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>

async function quoteOf({ post }: Customer, more: Record<string, unknown> = {}): Promise<string> {
  return (await post('/api/quotes', { payload: film, ...more })).json().id
}

/** The facts that a result's text holds, which no facts for programs repeat. */
function factsOf(result: object = {}): Record<string, unknown> {
  const { content: [first] = [], structuredContent } = result as {
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: unknown
  }
  if (structuredContent !== undefined) throw new Error('no tool with tasks has an output schema')
  return JSON.parse(first?.text ?? '')
}

const idOf = (handle: { readonly taskId: string } | undefined) => String(handle?.taskId)

/** A customer whose host has begun a render, which is now a task. */
async function rendering() {
  const customer = await gateway.customer()
  const headers = { 'x-api-key': customer.key }
  const { session } = await connectTaskHost(url, headers)
  const quote = await quoteOf(customer)
  const execution = await session.callTool('render', { quote })
  const taskId = idOf(execution.handle)
  const ask = async (method: string, params: object = {}) =>
    await send(url, { method, params: { taskId, ...envelope(), ...params } }, headers)
  return { customer, headers, session, quote, execution, taskId, ask }
}

const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }
const links = { url: 'https://example.com/', thumbnailUrl: null }
const files = { outputKey: 'accounts/a/output', thumbnailKey: null, links }
const completed = { to: 'completed' as const, result, ...files }
const failed = {
  to: 'failed' as const,
  error: { code: 'media_unreachable' as const, message: 'No answer', details: [] },
}

async function settle(
  { accountId }: Customer,
  jobId: string,
  settlement: typeof completed | typeof failed,
) {
  const job = { accountId, jobId }
  await enterStage(gateway.db, { ...job, stage: 'resolve' })
  await enterStage(gateway.db, { ...job, stage: 'render' })
  await settleJob(gateway.db, { ...job, reason: 'test', settlement })
}

test('the endpoint tells hosts of the extension', async (t) => {
  const { client } = await connectTaskHost(url, { 'x-api-key': (await gateway.customer()).key })
  t.deepEqual(client.getServerCapabilities()?.extensions, { [tasksExtension]: {} })
})

test('a render that takes long becomes a task named by its job', async (t) => {
  const { execution, taskId, customer, session } = await rendering()
  t.is(execution.kind, 'task')
  t.like((await customer.get(`/api/jobs/${taskId}`)).json(), { id: taskId, state: 'queued' })
  const seen = await session.task(taskId as TaskId).snapshot()
  t.like(seen, { status: 'working', retentionMs: null, suggestedPollIntervalMs: 5_000 })
  t.regex(String(seen.statusMessage), /^The render is waiting to begin: 0 % done/)
  await execution.cancel()
})

test('a task says why its render waits', async (t) => {
  const { taskId, ask, customer } = await rendering()
  await sql`update jobs set created_at = now() - interval '1 hour',
    workflow_started_at = null where id = ${taskId}`.execute(gateway.db)
  const { waiting } = (await customer.get(`/api/jobs/${taskId}`)).json()
  t.truthy(waiting)
  t.true(String((await ask('tasks/get')).result?.statusMessage).endsWith(` ${waiting.message}`))
})

for (const settlement of [completed, failed]) {
  const name = settlement.to

  test(`a render that has ${name} completes its task with the tool’s result`, async (t) => {
    const { execution, customer, quote, taskId, headers, ask } = await rendering()
    await settle(customer, taskId, settlement)
    const { result: task } = await ask('tasks/get')
    t.like(task, { resultType: 'complete', status: 'completed' })
    const { call } = await connect(url, { headers })
    const plain = await call('render', { quote })
    t.regex(plain.text, name === 'failed' ? /No answer/ : /"state":"completed"/)
    t.is(plain.isError, name === 'failed')
    t.is(task?.result?.isError === true, plain.isError)
    const unsigned = (text: string) => text.replaceAll(/\?[^"\\]*|"urlExpiresAt":"[^"]*"/g, '')
    const [{ text } = { text: '' }] = task?.result?.content ?? []
    t.is(unsigned(text), unsigned(plain.text))
    t.like((await execution.settle()).outcome, { status: 'completed' })
  })
}

test('a render that ends within a moment is answered without a task', async (t) => {
  const customer = await gateway.customer()
  const { session } = await connectTaskHost(url, { 'x-api-key': customer.key })
  const quote = await quoteOf(customer)
  const { jobId } = (await customer.post(`/api/quotes/${quote}/render`)).json()
  const called = session.callTool('render', { quote })
  await settle(customer, jobId, completed)
  const execution = await called
  t.is(execution.kind, 'immediate')
  t.like((await execution.settle()).outcome, { status: 'completed' })
})

test('a person is asked before the render becomes a task', async (t) => {
  const customer = await gateway.customer()
  const headers = { 'x-api-key': customer.key }
  const quote = await quoteOf(customer)
  const params = {
    ...{ name: 'render', arguments: { quote } },
    ...envelope(true, { elicitation: { form: {} } }),
  }
  const { result: question } = await send(url, { method: 'tools/call', params }, headers)
  t.is(question?.resultType, 'input_required')
  t.is((await customer.get('/api/jobs')).json().total, 0)
  const yes = { action: 'accept', content: { agree: true } }
  const inputResponses = Object.fromEntries(
    Object.keys(question?.inputRequests ?? {}).map((key) => [key, yes]),
  )
  const answered = { ...params, inputResponses, requestState: question?.requestState }
  const { result: task } = await send(url, { method: 'tools/call', params: answered }, headers)
  t.like(task, { resultType: 'task', status: 'working' })
  t.false('requestState' in (task ?? {}))
})

test('a cancelled task cancels its render, and may be cancelled again', async (t) => {
  const { execution, taskId, customer, ask } = await rendering()
  await execution.cancel()
  t.like((await customer.get(`/api/jobs/${taskId}`)).json(), { state: 'cancelled' })
  t.like((await ask('tasks/get')).result, {
    ...{ resultType: 'complete', status: 'cancelled' },
    statusMessage: 'The render was cancelled. Credits charged: 0.',
  })
  const again = await ask('tasks/cancel')
  t.is(again.result?.resultType, 'complete')
  t.false('status' in (again.result ?? {}))
})

test('an update of a task is acknowledged, for nothing is asked', async (t) => {
  const { ask, execution } = await rendering()
  const inputResponses = { name: { action: 'accept', content: {} } }
  t.is((await ask('tasks/update', { inputResponses })).result?.resultType, 'complete')
  t.like((await ask('tasks/update')).error, { code: -32602 })
  await execution.cancel()
})

test('tasks that are unknown or another account’s are refused alike', async (t) => {
  const { taskId, customer } = await rendering()
  const stranger = { 'x-api-key': (await gateway.customer()).key }
  const unknown = ['00000000-0000-4000-8000-000000000000', 'x', 'blk_00000000000000000000', '']
  for (const id of [taskId, ...unknown]) {
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId: id, inputResponses: {}, ...envelope() }
      const { error } = await send(url, { method, params }, stranger)
      t.is(error?.code, -32602, `${method} ${id}`)
      t.regex(
        String(error?.message),
        /^invalid_request: taskId must be the id of a task of this account\. Got ".*Call list_renders for/,
      )
    }
  }
  t.like((await customer.get(`/api/jobs/${taskId}`)).json(), { state: 'queued' })
})

test('a host that does not know tasks gets none, and cannot ask', async (t) => {
  const { taskId, customer, headers } = await rendering()
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
    const params = { taskId, inputResponses: {}, ...envelope(false) }
    const { status, error } = await send(url, { method, params }, headers)
    t.is(status, 400)
    t.like(error, {
      code: -32021,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    })
    const older = { ...headers, 'mcp-protocol-version': '2025-06-18' }
    const asked = await send(url, { method, params: { taskId, inputResponses: {} } }, older)
    t.is(asked.error?.code, -32601)
  }
  const arguments_ = { quote: await quoteOf(customer), wait: 0 }
  const params = { name: 'render', arguments: arguments_, ...envelope(false) }
  const { result } = await send(url, { method: 'tools/call', params }, headers)
  t.is(result?.resultType, 'complete')
  t.like(factsOf(result), { state: 'queued' })
  t.false('taskId' in (result ?? {}))
})

test('only a host that knows tasks may ask for their notifications', async (t) => {
  const { headers, taskId } = await rendering()
  const notifications = { taskIds: [taskId] }
  for (const takesTasks of [false, true]) {
    const params = { notifications, ...envelope(takesTasks) }
    const { status, error } = await send(url, { method: 'subscriptions/listen', params }, headers)
    t.is(status, takesTasks ? 200 : 400)
    t.is(error?.code, takesTasks ? undefined : -32021)
  }
})

test('the routing header must name the task', async (t) => {
  const { taskId, headers } = await rendering()
  for (const name of ['another', '']) {
    const params = { taskId, ...envelope() }
    const routed = { ...headers, 'mcp-name': name }
    const { status, error } = await send(url, { method: 'tasks/get', params }, routed)
    t.is(status, 400)
    t.is(error?.code, -32020)
  }
})

test('a readonly connection reads tasks and cannot cancel them', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token } = await host.connect({ profile: 'readonly' })
  const quote = await quoteOf(host.customer)
  const { jobId } = (await host.customer.post(`/api/quotes/${quote}/render`)).json()
  const readonly = new URL('?profile=readonly', url)
  for (const [address, headers] of [
    [url, bearer(token)],
    [readonly, { 'x-api-key': host.customer.key }],
  ] as const) {
    const params = { taskId: jobId, ...envelope() }
    const seen = await send(address, { method: 'tasks/get', params }, headers)
    t.is(seen.result?.status, 'working')
    const { error } = await send(address, { method: 'tasks/cancel', params }, headers)
    t.is(error?.code, -32600)
    t.regex(
      String(error?.message),
      /^forbidden: The profile .* must allow to cancel\. Got readonly\./,
    )
  }
  t.like((await host.customer.get(`/api/jobs/${jobId}`)).json(), { state: 'queued' })
})

test('another replica knows the task, so a restart loses none', async (t) => {
  const { taskId, headers, customer } = await rendering()
  const replica = await gateway.startReplica()
  t.teardown(() => replica.stop())
  const there = await listen(replica)
  const request = { method: 'tasks/get', params: { taskId, ...envelope() } }
  t.is((await send(there, request, headers)).result?.status, 'working')
  await settle(customer, taskId, completed)
  const { result: task } = await send(there, request, headers)
  t.is(task?.status, 'completed')
  t.like(factsOf(task?.result), { state: 'completed' })
})

/** A customer with a quoted bulk of two films. */
async function quotedBulk() {
  const customer = await gateway.customer()
  await sql`update accounts set plan = 'studio' where id = ${customer.accountId}`.execute(
    gateway.db,
  )
  const headers = { 'x-api-key': customer.key }
  const address = new URL('?profile=automation', url)
  const { session } = await connectTaskHost(address, headers)
  const quote = await quoteOf(customer, { items: [{ name: 'a' }, { name: 'b' }] })
  return { customer, session, quote }
}

for (const tool of ['render_bulk', 'render']) {
  test(`a bulk that ${tool} begins is a task with its items`, async (t) => {
    const { customer, session, quote } = await quotedBulk()
    const execution = await session.callTool(tool, { quote })
    t.is(execution.kind, 'task')
    const bulkId = idOf(execution.handle)
    t.regex(bulkId, /^blk_/)
    const working = await session.task(bulkId as TaskId).snapshot()
    t.is(working.statusMessage, '0 % done: 0 of 2 renders completed, 0 failed, 0 cancelled.')
    const { jobIds } = (await customer.post(`/api/quotes/${quote}/render`)).json()
    await settle(customer, jobIds[0], completed)
    await settle(customer, jobIds[1], failed)
    const { outcome } = await execution.settle()
    t.is(outcome.status, 'completed')
    const { result: ended } = outcome as { result?: object }
    t.like(factsOf(ended), { state: 'finished', counts: { completed: 1, failed: 1 } })
    const again = await session.callTool(tool, { quote })
    t.is(again.kind, 'immediate')
  })
}

test('a cancelled bulk is a cancelled task', async (t) => {
  const { session, quote } = await quotedBulk()
  const execution = await session.callTool('render_bulk', { quote })
  await execution.cancel()
  const seen = await session.task(idOf(execution.handle) as TaskId).snapshot()
  t.like(seen, {
    ...{ status: 'cancelled' },
    statusMessage: '100 % done: 0 of 2 renders completed, 0 failed, 2 cancelled.',
  })
})
