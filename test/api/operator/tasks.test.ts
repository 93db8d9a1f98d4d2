import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { addJob, addRunningAttempt, addTask } from '../../store/database.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { db } = gateway
const { headers } = await addOperator(gateway, 'operator')
test.after.always(() => gateway.stop())
const { get, post } = callsAs(gateway, headers)
const why = 'a test of single tasks'

async function newJob() {
  const { accountId } = await gateway.customer()
  return { accountId, jobId: await addJob(db, accountId, 1) }
}

const taskRow = async (id: string) =>
  await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a task that waits for its next attempt begins now', async (t) => {
  const added = await addTask(db, await newJob())
  const id = added.live ? added.taskId : ''
  await sql`update tasks set not_before = now() + interval '1 hour',
    failed_nodes = array[gen_random_uuid()] where id = ${id}`.execute(db)
  t.is((await post(`/tasks/${id}/retry`, { why })).json().queued, 1)
  t.like(await taskRow(id), { state: 'queued', not_before: null, failed_nodes: [] })
})

test('a task that is not queued is not retried', async (t) => {
  const running = await addRunningAttempt(db, await newJob())
  const refused = await post(`/tasks/${running}/retry`, { why })
  t.is(refused.json().message, 'A task to retry must be queued. Got leased')
  await sql`update tasks set state = 'failed' where id = ${running}`.execute(db)
  t.regex((await post(`/tasks/${running}/retry`, { why })).json().message, /retry the job$/)
  t.is((await post(`/tasks/${randomUUID()}/retry`, { why })).statusCode, 404)
})

test('an ended attempt blames neither its node nor its customer', async (t) => {
  const { accountId, jobId } = await newJob()
  const id = await addRunningAttempt(db, { accountId, jobId })
  const ended = await post(`/tasks/${id}/attempts/1/end`, { why })
  t.like(ended.json(), { id: jobId, queued: 1, running: 0 })
  t.like(await taskRow(id), { state: 'queued', failed_nodes: [], error: null })
  const { attempts } = (await get(`/jobs/${jobId}`)).json()
  t.like(attempts[0], { attempt: 1, state: 'returned', error: null })
  const again = await post(`/tasks/${id}/attempts/1/end`, { why })
  t.is(again.json().message, 'An attempt to end must be running. Got returned')
  t.regex((await post(`/tasks/${id}/attempts/7/end`, { why })).body, /Got no such attempt/)
})

test('an ended attempt of a held job waits for its resumption', async (t) => {
  const { accountId, jobId } = await newJob()
  const id = await addRunningAttempt(db, { accountId, jobId })
  const held = (await post(`/jobs/${jobId}/hold`, { why })).json()
  t.like(held, { holdReason: why, running: 1 })
  await post(`/tasks/${id}/attempts/1/end`, { why })
  t.is((await taskRow(id)).state, 'held')
  t.regex((await post(`/tasks/${id}/retry`, { why })).body, /Got held/)
  t.is((await get(`/jobs/${jobId}/waiting`)).json().waiting.reason, 'held')
  const resumed = (await post(`/jobs/${jobId}/resume`, { why })).json()
  t.like(resumed, { heldAt: null, holdReason: '', queued: 1 })
  const again = await post(`/jobs/${jobId}/resume`, { why })
  t.is(again.json().message, 'A job to resume must be held. Got one that is not held')
})
