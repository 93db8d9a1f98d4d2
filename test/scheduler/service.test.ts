import { randomUUID } from 'node:crypto'
import { type Client, credentials, loadPackageDefinition, Metadata, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test from 'ava'
import { protoPath } from 'grpc-health-check'
import { NodeServiceClient } from '../../proto/gen/farm/v1/node.ts'
import { readConfig } from '../../scheduler/config.ts'
import { openContext } from '../../scheduler/context.ts'
import { serve } from '../../scheduler/serve.ts'
import { silent } from '../store/database.ts'
import { offer, refused, startScheduler, token } from './running-scheduler.ts'

const scheduler = await startScheduler()
const { db, env, config, address, call, newNode } = scheduler

test.after.always(async () => {
  await scheduler.stop()
})

// The queue belongs to the whole farm: tests that read it run one at a time.
const queueTest = test.serial
queueTest.afterEach.always(async () => {
  await scheduler.clear()
})

queueTest('false reports are refused with a rule', async (t) => {
  const nodeId = await newNode()
  const bad = status.INVALID_ARGUMENT
  const attempt = { nodeId, taskId: randomUUID(), attempt: 1 }
  const named = { nodeId, name: 'n', version: '1' }
  const details = [
    await refused(t, bad, call('lease', { nodeId: 'x', slots: 1, waitMs: 0 })),
    await refused(t, bad, call('lease', { nodeId, slots: 0, waitMs: 0 })),
    await refused(t, bad, call('lease', { nodeId, slots: 1, waitMs: 4_000_000_000 })),
    await refused(t, bad, call('register', { ...named, offer: undefined })),
    await refused(t, bad, call('register', { ...named, name: 'a\0', offer })),
    await refused(t, bad, call('register', { ...named, name: 'n'.repeat(201), offer })),
    await refused(t, bad, call('register', { ...named, offer: { ...offer, lanes: 257 } })),
    await refused(t, bad, call('complete', { ...attempt, attempt: 0, result: {} })),
    await refused(t, bad, call('complete', { ...attempt, result: { a: '\0' } })),
  ]
  t.true(
    details.every((text) => / must /.test(text)),
    details.join('\n'),
  )
  await refused(t, status.NOT_FOUND, call('complete', { ...attempt, result: {} }))
  const unknown = randomUUID()
  await refused(t, status.NOT_FOUND, call('lease', { nodeId: unknown, slots: 1, waitMs: 0 }))
  await refused(t, status.NOT_FOUND, call('renew', { nodeId: unknown, tasks: [], pause: '' }))
  await refused(t, status.NOT_FOUND, call('drain', { nodeId: unknown, handedBack: [] }))
})

queueTest('a message over 1 MB is refused', async (t) => {
  const nodeId = await newNode()
  const result = { text: 'x'.repeat(1_000_001) }
  const large = call('complete', { nodeId, taskId: randomUUID(), attempt: 1, result })
  await refused(t, status.RESOURCE_EXHAUSTED, large)
})

queueTest('a call without the right token is refused', async (t) => {
  for (const given of ['', 'another token of nodes']) {
    const request = { nodeId: randomUUID(), name: 'n', version: '1', offer }
    await refused(t, status.UNAUTHENTICATED, call('register', request, given))
  }
  t.deepEqual(await db.selectFrom('nodes').selectAll().execute(), [])
})

queueTest('the standard health check says that the service serves', async (t) => {
  const loaded = loadPackageDefinition(loadSync(protoPath, { enums: String })) as unknown as {
    grpc: { health: { v1: { Health: new (address: string, credentials: unknown) => Client } } }
  }
  const health = new loaded.grpc.health.v1.Health(address, credentials.createInsecure())
  const answer = await new Promise((resolve, reject) => {
    const { check } = health as unknown as { check: (...args: unknown[]) => void }
    check.call(health, { service: 'farm.v1.NodeService' }, (error: unknown, value: unknown) =>
      error ? reject(error) : resolve(value),
    )
  })
  health.close()
  t.deepEqual(answer, { status: 'SERVING' })
})

const never = new Date(0)

queueTest('a scheduler that stops answers its long polls first', async (t) => {
  const own = openContext(config, silent)
  const second = await serve(own.context, config)
  const nodeId = await newNode()
  await db.updateTable('nodes').set({ last_seen_at: never }).execute()
  const there = new NodeServiceClient(`127.0.0.1:${second.port}`, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const poll = new Promise((resolve, reject) => {
    there.lease({ nodeId, slots: 1, waitMs: 20_000 }, metadata, (error, value) =>
      error ? reject(error) : resolve(value),
    )
  })
  const unseen = db.selectFrom('nodes').select('id').where('last_seen_at', '=', never)
  while ((await unseen.execute()).length > 0) await new Promise(setImmediate)
  await second.stop()
  await own.close()
  t.deepEqual(await poll, { tasks: [] })
  there.close()
})

test('the scheduler needs TLS beyond this machine unless told otherwise', (t) => {
  const open = { ...env, FARM_SCHEDULER_HOST: '0.0.0.0' }
  t.throws(() => readConfig(open), { message: /loopback.*farm certs.*0\.0\.0\.0/ })
  t.is(readConfig({ ...open, FARM_INSECURE: '1' }).host, '0.0.0.0')
  t.throws(() => readConfig({ ...env, FARM_SECRET: 'short' }), { name: 'EnvError' })
})
