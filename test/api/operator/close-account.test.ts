import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTransaction } from '../../../store/db/database.ts'
import { holdJob } from '../../../store/db/jobs/hold-job.ts'
import { addBulk, addJob, addRunningAttempt } from '../../store/database.ts'
import { bearer, call, password, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { db } = gateway
const { headers } = await addOperator(gateway, 'admin')
test.after.always(() => gateway.stop())
const { post } = callsAs(gateway, headers)
const why = 'the customer left'

const profile = async (given: Record<string, string>) =>
  await call(gateway, 'GET', '/api/user/profile', { headers: given })

test('a closed account’s keys and sessions end, and its jobs are cancelled', async (t) => {
  const { accountId, key } = await gateway.customer(1000)
  const { accessToken, refreshToken } = await signIn(gateway, accountId)
  const [running, held] = [await addJob(db, accountId), await addJob(db, accountId)]
  const taskId = await addRunningAttempt(db, { accountId, jobId: running })
  await inTransaction(db, (tx) => holdJob(tx, { jobId: held, reason: why, takesBack: false }))
  const items = [randomUUID(), randomUUID()]
  await addBulk(db, { accountId, ids: items })
  const done = await addJob(db, accountId)
  await db
    .updateTable('jobs')
    .set({ state: 'completed', finished_at: new Date() } as never)
    .where('id', '=', done)
    .execute()
  const closed = (await post(`/accounts/${accountId}/close`, { why })).json()
  t.truthy(closed.closedAt)
  t.deepEqual(closed.closedAt, closed.suspendedAt)
  t.is((await profile({ 'x-api-key': key })).statusCode, 401)
  t.is((await profile(bearer(accessToken))).statusCode, 401)
  const again = await call(gateway, 'POST', '/api/auth/refresh', { body: { refreshToken } })
  t.is(again.statusCode, 401)
  const jobs = await db
    .selectFrom('jobs')
    .select(['id', 'state'])
    .where('account_id', '=', accountId)
    .execute()
  for (const { id, state } of jobs) t.is(state, id === done ? 'completed' : 'cancelled')
  t.is(jobs.length, 5)
  const { state } = await db
    .selectFrom('tasks')
    .select('state')
    .where('id', '=', taskId)
    .executeTakeFirstOrThrow()
  t.is(state, 'cancelled')
})

test('users of a closed account read so until it is resumed', async (t) => {
  const { accountId, key } = await gateway.customer()
  const { email } = await signIn(gateway, accountId)
  await post(`/accounts/${accountId}/close`, { why })
  const enter = async () => {
    const body = { email, password }
    return (await call(gateway, 'POST', '/api/auth/sign-in', { body })).json().accessToken
  }
  const refused = await profile(bearer(await enter()))
  t.is(refused.statusCode, 403)
  t.regex(refused.json().message, /Got one that the operators of the farm have closed$/)
  t.is((await post(`/accounts/${accountId}/suspend`, { why })).statusCode, 409)
  const resumed = (await post(`/accounts/${accountId}/resume`, { why })).json()
  t.like(resumed, { closedAt: null, suspendedAt: null })
  t.is((await profile(bearer(await enter()))).statusCode, 200)
  t.is((await profile({ 'x-api-key': key })).statusCode, 401, 'its keys stay revoked')
})

test('an account that is closed again ends what has come since', async (t) => {
  const { accountId } = await gateway.customer()
  await post(`/accounts/${accountId}/close`, { why })
  const late = await addJob(db, accountId)
  t.is((await post(`/accounts/${accountId}/close`, { why })).statusCode, 200)
  const { state } = await db
    .selectFrom('jobs')
    .select('state')
    .where('id', '=', late)
    .executeTakeFirstOrThrow()
  t.is(state, 'cancelled')
})
