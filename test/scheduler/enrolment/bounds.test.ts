import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { EnrolmentServiceClient } from '../../../proto/gen/farm/v1/enrolment.ts'
import { createRequest } from '../../../runtime/authority.ts'
import { serveEnrolment } from '../../../scheduler/enrolment/serve-enrolment.ts'
import { listInvitations } from '../../../store/db/fleet/invitations.ts'
import { enrol } from '../../../worker/enrolment/enrol.ts'
import { startEnrollingFarm } from './enrolling-farm.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const { db, context, enrolment, own, tokenOf, settingsOf, newInvitation, filesOf } = farm

test('a pod takes at most 60 certificates an hour', async (t) => {
  const token = await tokenOf()
  const { request: certificateRequest } = await createRequest()
  const take = () => enrolment.enrol({ token, certificateRequest, name: '', pool: '' })
  for (let n = 0; n < 60; n += 1) await take()
  t.is((await t.throwsAsync(take()))?.message, 'A node must take at most 60 certificates an hour.')
})

test('strangers who call at once leave the database to nodes', async (t) => {
  const { held, release } = hold()
  const at = await serveOnly(t, {
    enrol: () => held.then(() => Promise.reject(new Error('enough'))),
  })
  const calls = Array.from({ length: 4 }, () =>
    enrol({ ...settingsOf('join_guess'), ...at }, { name: 'n', pool: '' }),
  )
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

test('pods that wait for the cluster’s keys hold no machine up', async (t) => {
  const { held, release } = hold()
  const at = await serveOnly(t, {
    async enrol(request, isGone) {
      if (!request.token.startsWith('join_')) await held
      return await enrolment.enrol(request, isGone)
    },
  })
  const pod = { ...settingsOf(await tokenOf()), ...at }
  const calls = Array.from({ length: 4 }, () => enrol(pod, { name: 'n', pool: '' }))
  const first = (await t.throwsAsync(Promise.race(calls))) as ServiceError
  t.is(first.code, status.RESOURCE_EXHAUSTED)
  const { token } = await newInvitation()
  t.is((await enrol({ ...settingsOf(token), ...at }, { name: 'n', pool: '' })).pool, 'cpu')
  release()
  const pools = (await Promise.allSettled(calls)).map((each) =>
    each.status === 'fulfilled' ? each.value.pool : '',
  )
  t.deepEqual(pools.sort(), ['', 'gpu', 'gpu', 'gpu'])
})

test('a call that was hung up uses no invitation up', async (t) => {
  const { token, id } = await newInvitation()
  const left: boolean[] = []
  const late: Pick<typeof enrolment, 'enrol'> = {
    async enrol(request, isGone = () => false) {
      // The time in the queue, which outlasts the node's patience.
      while (!isGone()) await sleep(10)
      return await enrolment.enrol(request, isGone).finally(() => left.push(true))
    },
  }
  const at = await serveOnly(t, late)
  const client = new EnrolmentServiceClient(at.address, credentials.createSsl(settingsOf('').ca))
  t.teardown(() => client.close())
  const { request: certificateRequest } = await createRequest()
  const request = { token, certificateRequest, name: 'n', pool: '' }
  const code = await new Promise<status | undefined>((resolve) => {
    const deadline = Date.now() + 200
    client.enrol(request, new Metadata(), { deadline }, (error) => resolve(error?.code))
  })
  t.is(code, status.DEADLINE_EXCEEDED)
  while (left.length === 0) await sleep(10)
  t.is(await usesOf(id), 0, 'it began')

  // The node hangs up while its certificate is being made.
  const answers = [false, true]
  const error = await t.throwsAsync(enrolment.enrol(request, () => answers.shift() ?? true))
  t.is(error?.message, 'The node hung up before it was enrolled.')
  t.is(await usesOf(id), 0, 'it was committed')
  await enrolment.enrol(request)
  t.is(await usesOf(id), 1)
})

async function usesOf(id: string): Promise<number | undefined> {
  return (await listInvitations(db)).find((each) => each.id === id)?.used
}

/** Serves enrolment with one call at once and two that wait. */
async function serveOnly(t: ExecutionContext, served: Pick<typeof enrolment, 'enrol'>) {
  const { port, stop } = await serveEnrolment(context, {
    ...{ address: { host: '127.0.0.1', port: 0 }, tls: filesOf(own) },
    ...{ enrolment: served, bounds: { atOnce: 1, waiting: 2 } },
  })
  t.teardown(stop)
  return { address: `127.0.0.1:${port}` }
}

function hold() {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  return { held, release: () => release() }
}
