import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../../../infra/local/ports.ts'
import { NodeServiceService } from '../../../proto/gen/farm/v1/node.ts'
import type { Log } from '../../../runtime/log.ts'
import { bindServer, serverCredentials } from '../../../scheduler/grpc-server.ts'
import { enrol, openIdentity } from '../../../worker/enrolment/enrol.ts'
import { connectRenewing } from '../../../worker/enrolment/renewing-client.ts'
import { offer, refused, startEnrollingFarm } from '../../scheduler/enrolment/enrolling-farm.ts'
import { silent } from '../../store/database.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const { db, address, own, tokenOf, settingsOf, connect, newInvitation, nodeOf, filesOf } = farm

test('a machine keeps its identity when it starts again', async (t) => {
  const { token } = await newInvitation()
  const settings = settingsOf(token)
  const options = { name: 'blue-2', pool: '', log: silent }
  const first = await openIdentity(settings, options)
  t.deepEqual(await openIdentity(settings, options), first)
  await t.throwsAsync(openIdentity(settingsOf(token), options), {
    message: 'The node was not enrolled: The invitation must be open. It is used up.',
  })
})

test('a machine with another invitation or pool enrols anew', async (t) => {
  const [cpu, gpu] = [await newInvitation(), await newInvitation({ pool: 'gpu' })]
  const settings = settingsOf(cpu.token)
  const options = { name: 'blue-3', pool: '', log: silent }
  const first = await openIdentity(settings, options)
  t.is(first.pool, 'cpu')
  t.deepEqual(await openIdentity(settings, { ...options, pool: 'cpu' }), first)
  await t.throwsAsync(openIdentity(settings, { ...options, pool: 'gpu' }), {
    message: 'The node was not enrolled: The invitation must be open. It is used up.',
  })
  const moved = { ...settings, token: { text: gpu.token } }
  const second = await openIdentity(moved, options)
  t.is(second.pool, 'gpu')
  t.not(second.nodeId, first.nodeId)
  t.deepEqual(await openIdentity(moved, { ...options, pool: 'gpu' }), second)
})

test('a machine whose kept identity is broken enrols anew', async (t) => {
  const { token } = await newInvitation({ uses: 3 })
  const settings = settingsOf(token)
  const warned: object[] = []
  const log = { ...silent, info: () => {}, warn: (what: object) => warned.push(what) }
  const options = { name: 'blue-4', pool: '', log: log as unknown as Log }
  const first = await openIdentity(settings, options)
  const path = join(settings.dir, 'identity.json')
  const ids = [first.nodeId]
  for (const text of ['', '{"nodeId":"a node"}']) {
    writeFileSync(path, text)
    const next = await openIdentity(settings, options)
    t.deepEqual(warned.pop(), { path })
    t.deepEqual(await openIdentity(settings, options), next)
    ids.push(next.nodeId)
  }
  t.is(new Set(ids).size, 3)
  t.deepEqual(warned, [])
})

test('a node pauses twice as long after each failure', async (t) => {
  const settings = { ...settingsOf('join_guess'), address: `127.0.0.1:${await freePort()}` }
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    if (pauses.length === 8) throw new Error('enough')
  }
  const opened = openIdentity(settings, { name: 'n', pool: '', log: silent, pause })
  await t.throwsAsync(opened, { message: 'enough' })
  for (const [n, most] of [2, 4, 8, 16, 32, 60, 60, 60].entries()) {
    const seconds = (pauses[n] ?? 0) / 1000
    t.true(seconds >= most / 2 && seconds <= most, `pause ${n} took ${seconds} s`)
  }
})

test('certificates are renewed at half of their life', async (t) => {
  const { token } = await newInvitation()
  for (const settings of [settingsOf(token), settingsOf(await tokenOf())]) {
    const identity = await enrol(settings, { name: 'n', pool: '' })
    const aged = { ...identity, issuedAt: identity.issuedAt - 2 * 86_400_000 }
    const renewed: string[] = []
    const client = connectRenewing({
      ...{ address, config: settings, identity: aged, name: 'n', pool: '', log: silent },
      onRenewed: (next) => void renewed.push(next.nodeId),
      everyMs: 10,
    })
    t.teardown(() => client.close())
    const { nodeId } = identity
    for (;;) {
      const known = await db
        .selectFrom('node_certificates')
        .select('fingerprint')
        .where('node_id', '=', nodeId)
        .execute()
      if (known.length > 1) break
      await sleep(10)
    }
    await client.register({ nodeId, name: 'n', version: '1', offer })
    t.truthy(await nodeOf(nodeId))
    while (renewed.length === 0) await sleep(10)
    t.deepEqual(renewed, [nodeId])
  }
})

test('a pod that the farm forgot enrols again', async (t) => {
  const settings = settingsOf(await tokenOf())
  const identity = await enrol(settings, { name: 'n', pool: '' })
  const client = connectRenewing({
    ...{ address, config: settings, identity, name: 'n', pool: '', log: silent, everyMs: 10 },
  })
  t.teardown(() => client.close())
  const { nodeId } = identity
  const register = () => client.register({ nodeId, name: 'n', version: '1', offer })
  await register()
  await db.deleteFrom('node_certificates').where('node_id', '=', nodeId).execute()
  // Schedulers know a certificate for a moment after its end.
  const request = { nodeId, name: 'n', version: '1', offer }
  const succeeds = (call: Promise<unknown>) => call.then(Boolean, () => false)
  const old = connect(t, identity)
  while (await succeeds(old.register(request))) await sleep(10)
  while (!(await succeeds(register()))) await sleep(10)
  t.false(await succeeds(old.register(request)))
})

test('a late refusal of the certificate before renews nothing', async (t) => {
  const settings = settingsOf(await tokenOf())
  const identity = await enrol(settings, { name: 'n', pool: '' })
  const { port, refusals } = await startRefusing(t)
  const renewed: string[] = []
  const client = connectRenewing({
    ...{ address: `127.0.0.1:${port}`, config: settings, identity, name: 'n', pool: '' },
    onRenewed: (next) => void renewed.push(next.nodeId),
    ...{ log: silent, everyMs: 10 },
  })
  t.teardown(() => client.close())
  const register = () =>
    refused(
      t,
      status.UNAUTHENTICATED,
      client.register({ nodeId: identity.nodeId, name: 'n', version: '1', offer }),
    )
  const [early, late] = [register(), register()]
  while (refusals.length < 2) await sleep(10)
  refusals.pop()?.()
  while (renewed.length === 0) await sleep(10)
  refusals.pop()?.()
  await Promise.all([early, late])
  await sleep(500)
  t.is(renewed.length, 1, 'the late refusal counted')
  const next = register()
  while (refusals.length === 0) await sleep(10)
  refusals.pop()?.()
  await next
  while (renewed.length < 2) await sleep(10)
  t.pass('a refusal of the present certificate counts')
})

/** A scheduler that holds registrations until each is refused, as one does that no longer knows the node. */
async function startRefusing(t: ExecutionContext) {
  const refusals: (() => void)[] = []
  const server = new Server()
  const register = (_call: unknown, answer: (error: { code: status }) => void) =>
    void refusals.push(() => answer({ code: status.UNAUTHENTICATED }))
  server.addService(NodeServiceService, { register })
  const credentials = serverCredentials(filesOf(own))
  const port = await bindServer(server, { host: '127.0.0.1', port: 0, credentials })
  t.teardown(() => server.forceShutdown())
  return { port, refusals }
}
