import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Job, RenderPayload } from '../../client/farm-client.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import { clientBehindTrouble } from './trouble.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

const payload: RenderPayload = { duration: 2, visuals: [{ type: 'TEXT', text: 'Hello' }] }

test('a stream of events that breaks is opened again where it was', async (t) => {
  const { farm, seen, cutStreams } = await clientBehindTrouble(t, gateway)
  const { jobId } = await farm.submit({ payload })
  const told: Job[] = []
  const waiting = farm.wait(jobId, { onProgress: (job) => told.push(job) })
  while (told.length === 0) await sleep(10)
  cutStreams()
  const streams = () => seen.filter(({ route }) => route.endsWith('/events'))
  while (streams().length < 2) await sleep(10)
  t.is(streams()[0]?.headers['last-event-id'], undefined)
  t.regex(String(streams()[1]?.headers['last-event-id']), /^\d+-/)
  await farm.cancelJob(jobId)
  t.is((await waiting).state, 'cancelled')
})

test('the job is polled where no stream comes through', async (t) => {
  const { customer, farm, troubles, seen } = await clientBehindTrouble(t, gateway)
  const { jobId } = await farm.submit({ payload })
  const blocked = { status: 502 }
  troubles.push(blocked)
  let looks = 0
  const job = await farm.wait(jobId, {
    onProgress() {
      looks += 1
      if (looks === 1) troubles.push(blocked)
      if (looks === 2) void customer.post(`/api/jobs/${jobId}/cancel`)
    },
  })
  t.is(job.state, 'cancelled')
  t.is(seen.filter(({ route }) => route.endsWith('/events')).length, 2)
})

test('a farm that is away for a while is waited for', async (t) => {
  const { customer, farm, troubles, cutStreams } = await clientBehindTrouble(t, gateway)
  const { jobId } = await farm.submit({ payload })
  let looks = 0
  const waiting = farm.wait(jobId, { onProgress: () => (looks += 1) })
  while (looks === 0) await sleep(10)
  troubles.push('cut', 'cut', 'cut')
  cutStreams()
  while (troubles.length > 0) await sleep(10)
  await customer.post(`/api/jobs/${jobId}/cancel`)
  t.is((await waiting).state, 'cancelled')
})
