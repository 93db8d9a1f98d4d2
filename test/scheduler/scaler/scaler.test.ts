import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, type ServiceError, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { createAuthority, type Identity, issue, type Subject } from '../../../runtime/authority.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { serveScaler } from '../../../scheduler/scaler/serve-scaler.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { setShare } from '../../../store/db/queue/set-share.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  silent,
  startDatabase,
} from '../../store/database.ts'
import { connectKeda } from './keda.ts'

const { db, url, stop } = await startDatabase()
const objects = mkdtempSync(join(tmpdir(), 'farm-scaler-'))
const env = {
  DATABASE_URL: url,
  FARM_OBJECTS: `file:${objects}`,
  FARM_PUBLIC_URL: 'http://127.0.0.1:1',
  FARM_SECRET: 'a secret of the tests',
}
const { context, close } = openContext(readConfig(env), silent)
const address = { host: '127.0.0.1', port: 0 }
const plain = await serveScaler(context, { address, tls: undefined })
test.after.always(async () => {
  await plain.stop()
  await close()
  await stop()
  rmSync(objects, { recursive: true, force: true })
})
test.afterEach.always(async () => {
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('nodes').execute()
})

const gpu = { pool: 'gpu', slots: '4' }

function keda(t: ExecutionContext, metadata: Readonly<Record<string, string>> = gpu) {
  const client = connectKeda(`127.0.0.1:${plain.port}`, metadata)
  t.teardown(client.close)
  return client
}

async function newJob() {
  const accountId = await addAccount(db)
  return { accountId, jobId: await addJob(db, accountId) }
}

async function refused(t: ExecutionContext, code: status, call: Promise<unknown>) {
  const error = (await t.throwsAsync(call)) as ServiceError
  t.is(error.code, code, error.message)
  return error.details
}

test.serial('a pool goes from zero to wanted and back to zero', async (t) => {
  const client = keda(t)
  const stream = client.stream()
  t.false(await stream.next())
  t.deepEqual(await client.values(), [
    { metricName: 'farm_wanted_slots', metricValue: 0, metricValueFloat: 0 },
  ])
  const job = await newJob()
  for (let n = 0; n < 6; n += 1)
    await addTask(db, { ...job, cost: 6_000, requirements: { pool: 'gpu' } })
  t.true(await stream.next())
  t.true(await client.isActive())
  t.deepEqual(await client.values(), [
    { metricName: 'farm_wanted_slots', metricValue: 6, metricValueFloat: 6 },
  ])
  const nodeId = await addNode(db, { pool: 'gpu' })
  const wants = [{ nodeId, slots: 6 }]
  t.is((await leaseTasks(db, { wants, leaseMs: 15_000, nodeLiveMs: 30_000 })).length, 6)
  t.true(await client.isActive(), 'running work keeps its machines')
  await db.deleteFrom('tasks').execute()
  t.false(await stream.next())
  t.false(await client.isActive())
})

test.serial('work of an account at its limit wakes no machine', async (t) => {
  const client = keda(t)
  const stream = client.stream()
  t.false(await stream.next())
  const [held, free] = [await newJob(), await newJob()]
  const requirements = { pool: 'gpu' }
  await setShare(db, { accountId: held.accountId, slotsBurst: 0 })
  for (let n = 0; n < 5; n += 1) await addTask(db, { ...held, requirements })
  t.false(await client.isActive())
  await addTask(db, { ...free, requirements })
  t.true(await stream.next(), 'nothing was told of the other account')
  t.is((await client.values())[0]?.metricValue, 1)
})

test.serial('each pool is told of its own work alone', async (t) => {
  await addNode(db)
  await addTask(db, await newJob())
  t.false(await keda(t).isActive())
  t.true(await keda(t, { slots: '2' }).isActive())
  t.true(await keda(t, { pool: 'default', slots: '2' }).isActive())
})

test('one pod serves the slots that its trigger names', async (t) => {
  t.deepEqual(await keda(t).spec(), [
    { metricName: 'farm_wanted_slots', targetSize: 4, targetSizeFloat: 4 },
  ])
  for (const slots of ['', '0', '257', 'four']) {
    const details = await refused(
      t,
      status.INVALID_ARGUMENT,
      keda(t, { pool: 'gpu', slots }).spec(),
    )
    t.regex(details, /^slots must be those of one pod, from 1 to 256 \(FARM_SLOTS\)\. Got "/)
  }
  const over = await keda(t, { pool: 'gpu' }).stream().over
  t.is(over?.code, status.INVALID_ARGUMENT)
})

test('a scaler names at most so many pools an hour', async (t) => {
  const own = await serveScaler(context, { address, tls: undefined, mostPools: 3 })
  t.teardown(own.stop)
  const ask = async (pool: string) => {
    const client = connectKeda(`127.0.0.1:${own.port}`, { pool, slots: '1' })
    return await client.spec().finally(client.close)
  }
  for (let n = 0; n < 3; n += 1) await ask(`bound-${n}`)
  t.is(
    await refused(t, status.RESOURCE_EXHAUSTED, ask('bound-3')),
    'A scaler must name at most 3 pools an hour.',
  )
  await t.notThrowsAsync(ask('bound-2'))
})

test('a stopping scheduler ends its streams without an error', async (t) => {
  const { port, stop: stopScaler } = await serveScaler(context, { address, tls: undefined })
  const client = connectKeda(`127.0.0.1:${port}`, { pool: 'idle', slots: '1' })
  t.teardown(client.close)
  const stream = client.stream()
  t.false(await stream.next())
  await stopScaler()
  t.is(await stream.over, undefined)
})

test('only a certificate of a scaler reads the backlog over TLS', async (t) => {
  const authority = await createAuthority({ days: 1 })
  const pem = (identity: Identity) => ({
    ...{ ca: Buffer.from(authority.cert), cert: Buffer.from(identity.cert) },
    key: Buffer.from(identity.key),
  })
  const issued = async (subject: Subject) => pem(await issue(authority, { subject, days: 1 }))
  const tls = await issued({ role: 'scheduler', hosts: ['127.0.0.1'] })
  const { port, stop: stopScaler } = await serveScaler(context, { address, tls })
  t.teardown(stopScaler)
  const connect = ({ ca, key, cert }: ReturnType<typeof pem>) => {
    const channel = credentials.createSsl(ca, key, cert)
    const client = connectKeda(`127.0.0.1:${port}`, { pool: 'idle', slots: '1' }, channel)
    t.teardown(client.close)
    return client
  }
  t.false(await connect(await issued({ role: 'scaler' })).isActive())
  const nodeId = '0b6c1f0e-3f5e-4a0f-9c57-0d6a4f3f1d11'
  const node = connect(await issued({ role: 'node', nodeId, name: 'n' }))
  t.is(
    await refused(t, status.PERMISSION_DENIED, node.isActive()),
    'The certificate must be of a scaler.',
  )
  t.is((await node.stream().over)?.code, status.PERMISSION_DENIED)
  const foreign = await createAuthority({ days: 1 })
  const stranger = pem(await issue(foreign, { subject: { role: 'scaler' }, days: 1 }))
  await refused(t, status.UNAVAILABLE, connect(stranger).isActive())
})

test('an address that others reach needs TLS or leave', (t) => {
  const reached = { ...env, FARM_SCALER_ADDRESS: '0.0.0.0:7071' }
  t.throws(() => readConfig(reached), {
    message: /^FARM_SCALER_ADDRESS must be a loopback address/,
  })
  t.deepEqual(readConfig({ ...reached, FARM_INSECURE: '1' }).scalerAddress, {
    ...{ host: '0.0.0.0', port: 7071 },
  })
  t.is(readConfig(env).scalerAddress, undefined)
})
