import test from 'ava'
import { createFarmClient } from '../../../client/farm-client.ts'
import { plans } from '../../../core/accounts/plans.ts'
import { addRunningAttempt } from '../../store/database.ts'
import { putArtifact } from '../../store/db/jobs/one-job.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const path = '/api/user/profile?usage=true'
const { requestsPerMinute } = plans.free

/** An account with a running task of an open job, and a stored medium of a megabyte. */
async function busy() {
  const customer = await gateway.customer()
  const { accountId } = customer
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  await addRunningAttempt(gateway.db, { accountId, jobId })
  await putArtifact(gateway.db, {
    ...{ accountId, kind: 'media', digest: 'a'.repeat(64), facts: {}, bytes: 1_000_000 },
    objectKey: `accounts/${accountId}/media/a`,
  })
  return customer
}

test('a profile tells on request how much of the plan is used', async (t) => {
  const { get } = await busy()
  const { usage } = (await get(path)).json()
  t.deepEqual(usage, {
    tasksAtOnce: { used: 1, limit: 128 },
    storedBytes: { used: 1_000_000, limit: 5e9 },
    // A replica takes a fortieth of the minute at once.
    requestsPerMinute: { used: Math.ceil(requestsPerMinute / 40), limit: requestsPerMinute },
    openJobs: 1,
  })
  t.is((await get('/api/user/profile')).json().usage, undefined)
})

test('the use is that of the account alone', async (t) => {
  await busy()
  const { get } = await gateway.customer()
  const { usage } = (await get(path)).json()
  t.like(usage, { tasksAtOnce: { used: 0 }, storedBytes: { used: 0 }, openJobs: 0 })
})

test('an account’s own limit of tasks goes before its plan’s', async (t) => {
  const { get, accountId } = await busy()
  await gateway.db
    .updateTable('accounts')
    .set({ slots_burst: 7 })
    .where('id', '=', accountId)
    .execute()
  t.deepEqual((await get(path)).json().usage.tasksAtOnce, { used: 1, limit: 7 })
})

test('no limit of requests is told where none is enforced', async (t) => {
  const { key } = await gateway.customer()
  const { server } = await gateway.startReplica({ rateLimits: 'off' })
  const reply = await server.inject({ url: path, headers: { 'x-api-key': key } })
  t.is(reply.json().usage.requestsPerMinute, null)
})

test('the client asks for the use', async (t) => {
  const { key } = await busy()
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const { usage } = await createFarmClient({ url, apiKey: key }).profile({ usage: true })
  t.is(usage?.openJobs, 1)
})
