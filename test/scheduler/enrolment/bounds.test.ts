import { type ServiceError, status } from '@grpc/grpc-js'
import test from 'ava'
import { createRequest } from '../../../runtime/authority.ts'
import { serveEnrolment } from '../../../scheduler/enrolment/serve-enrolment.ts'
import { enrol } from '../../../worker/enrolment/enrol.ts'
import { startEnrollingFarm } from './enrolling-farm.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const { context, enrolment, settingsOf, own, tokenOf, filesOf } = farm

test('a pod takes at most 60 certificates an hour', async (t) => {
  const token = await tokenOf()
  const { request: certificateRequest } = await createRequest()
  const take = () => enrolment.enrol({ token, certificateRequest, name: '', pool: '' })
  for (let n = 0; n < 60; n += 1) await take()
  t.is((await t.throwsAsync(take()))?.message, 'A node must take at most 60 certificates an hour.')
})

test('strangers who call at once leave the database to nodes', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const waits = { enrol: () => held.then(() => Promise.reject(new Error('enough'))) }
  const busy = await serveEnrolment(context, {
    ...{ address: { host: '127.0.0.1', port: 0 }, tls: filesOf(own) },
    enrolment: waits as unknown as typeof enrolment,
    bounds: { atOnce: 1, waiting: 2 },
  })
  t.teardown(busy.stop)
  const settings = { ...settingsOf('join_guess'), address: `127.0.0.1:${busy.port}` }
  const calls = Array.from({ length: 4 }, () => enrol(settings, { name: 'n', pool: '' }))
  const first = (await t.throwsAsync(Promise.race(calls))) as ServiceError
  t.is(first.code, status.RESOURCE_EXHAUSTED)
  release()
  const codes = (await Promise.allSettled(calls)).map((each) =>
    each.status === 'rejected' ? (each.reason as ServiceError).code : status.OK,
  )
  const counted = (code: status) => codes.filter((each) => each === code).length
  t.deepEqual([counted(status.RESOURCE_EXHAUSTED), counted(status.INTERNAL)], [1, 3])
  const text = await context.metrics.registry.metrics()
  t.regex(text, /farm_rpc_seconds_count\{[^}]*method="Enrol"[^}]*code="RESOURCE_EXHAUSTED"/)
})
