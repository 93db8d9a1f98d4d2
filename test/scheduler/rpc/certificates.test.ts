import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { type ServiceError, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { createAuthority, type Identity, issue } from '../../../runtime/authority.ts'
import type { TlsFiles } from '../../../runtime/tls.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { serve } from '../../../scheduler/serve.ts'
import { addCertificate } from '../../../store/db/fleet/add-certificate.ts'
import { revokeCertificates } from '../../../store/db/fleet/revoke-certificates.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'
import { silent, startDatabase } from '../../store/database.ts'

const { db, url, stop: stopDatabase } = await startDatabase()
const objects = mkdtempSync(join(tmpdir(), 'farm-scheduler-'))
const authority = await createAuthority({ days: 1 })
const stranger = await createAuthority({ days: 1 })

const scheduler = { role: 'scheduler', hosts: ['127.0.0.1'] } as const
const served = await start(filesOf(await issue(authority, { subject: scheduler, days: 1 })))

test.after.always(async () => {
  await served.stop()
  await stopDatabase()
  rmSync(objects, { recursive: true, force: true })
})

function filesOf({ cert, key }: Identity, ca = authority): TlsFiles {
  return { ca: Buffer.from(ca.cert), cert: Buffer.from(cert), key: Buffer.from(key) }
}

async function start(files: TlsFiles) {
  const config = readConfig({
    DATABASE_URL: url,
    FARM_SCHEDULER_PORT: '0',
    FARM_OBJECTS: `file:${objects}`,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  })
  const { context, close } = openContext({ ...config, tls: files }, silent)
  const { port, stop } = await serve(context, { ...config, tls: files })
  const stopBoth = async () => {
    await stop()
    await close()
  }
  return { port, stop: stopBoth }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

/** Creates a node with all that it needs: known to the farm unless the test says otherwise. */
async function newNode({ by = authority, days = 1, isKnown = true } = {}) {
  const nodeId = randomUUID()
  const token = `node_${randomUUID()}`
  const identity = await issue(by, { subject: { role: 'node', nodeId, name: 'n' }, days })
  const fingerprint = sha256(new X509Certificate(identity.cert).raw)
  const certificate = { fingerprint, nodeId, nodeName: 'n', tokenHash: sha256(token) }
  const expiresAt = new Date(Date.now() + 3_600_000)
  if (isKnown) await addCertificate(db, { ...certificate, expiresAt })
  return { nodeId, token, files: filesOf(identity), fingerprint }
}

const offer = {
  ...{ kinds: ['render'], slots: 1, encoders: ['libx264'], canvas: 'napi', device: 'CPU' },
  ...{ pool: '', tags: [], memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 0 },
}

function connect(
  t: ExecutionContext,
  { token, files, port = served.port }: { token?: string; files?: TlsFiles; port?: number },
) {
  const client = connectScheduler({ address: `127.0.0.1:${port}`, token, tls: files })
  t.teardown(() => client.close())
  return client
}

const register = (client: ReturnType<typeof connect>, nodeId: string) =>
  client.register({ nodeId, name: 'n', version: '1', offer })

async function refused(t: ExecutionContext, code: status, call: Promise<unknown>) {
  const error = (await t.throwsAsync(call)) as ServiceError
  t.is(error.code, code, error.message)
  if (code === status.UNAUTHENTICATED) t.is(error.details, "The node's credentials must be right.")
}

const isKnown = async (id: string) =>
  (await db.selectFrom('nodes').select('id').where('id', '=', id).execute()).length === 1

test('a node with its own certificate and token is let in', async (t) => {
  const { nodeId, token, files } = await newNode()
  await register(connect(t, { token, files }), nodeId)
  t.true(await isKnown(nodeId))
})

// A caller refused by the handshake learns nothing; one refused later learns only that it was.
test('a caller in plain text is refused', async (t) => {
  const { nodeId, token } = await newNode()
  await refused(t, status.UNAVAILABLE, register(connect(t, { token }), nodeId))
  t.false(await isKnown(nodeId))
})

test('a caller without a certificate is refused by the handshake', async (t) => {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: served.port,
    ca: authority.cert,
    ALPNProtocols: ['h2'],
  })
  t.teardown(() => socket.destroy())
  const error = (await once(socket, 'error').then(([each]) => each)) as Error & { code: string }
  t.is(error.code, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
})

test('an older TLS than 1.3 is refused by the handshake', async (t) => {
  const { files } = await newNode()
  const versions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
  const socket = tls.connect({
    host: '127.0.0.1',
    port: served.port,
    ...files,
    ...versions,
    ALPNProtocols: ['h2'],
  })
  t.teardown(() => socket.destroy())
  const error = (await once(socket, 'error').then(([each]) => each)) as Error & { code: string }
  t.is(error.code, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
})

test('a certificate by another authority is refused', async (t) => {
  const { nodeId, token, files } = await newNode({ by: stranger })
  await refused(t, status.UNAVAILABLE, register(connect(t, { token, files }), nodeId))
  t.false(await isKnown(nodeId))
})

test('an expired certificate is refused', async (t) => {
  const { nodeId, token, files } = await newNode({ days: -1 / 1440 })
  await refused(t, status.UNAVAILABLE, register(connect(t, { token, files }), nodeId))
  t.false(await isKnown(nodeId))
})

test('a certificate that expires on an open connection is refused from then', async (t) => {
  const { nodeId, token, files, fingerprint } = await newNode()
  const client = connect(t, { token, files })
  await register(client, nodeId)
  await db
    .updateTable('node_certificates')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where('fingerprint', '=', fingerprint)
    .execute()
  await refusedSoon(t, () => register(client, nodeId))
})

test('a certificate that the farm never made known is refused', async (t) => {
  const { nodeId, token, files } = await newNode({ isKnown: false })
  await refused(t, status.UNAUTHENTICATED, register(connect(t, { token, files }), nodeId))
  t.false(await isKnown(nodeId))
})

test('a revoked certificate is refused, on an open connection too', async (t) => {
  const { nodeId, token, files, fingerprint } = await newNode()
  const client = connect(t, { token, files })
  await register(client, nodeId)
  t.deepEqual(await revokeCertificates(db, { which: fingerprint, why: 'stolen' }), [nodeId])
  await refusedSoon(t, () => client.renew({ nodeId, tasks: [], pause: '' }))
  await refused(t, status.UNAUTHENTICATED, register(connect(t, { token, files }), nodeId))
})

/** Retries for a while, because certificates are cached for a moment. */
async function refusedSoon(t: ExecutionContext, call: () => Promise<unknown>) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const error = await call().then(
      () => undefined,
      (each: ServiceError) => each,
    )
    if (error) return t.is(error.code, status.UNAUTHENTICATED)
    if (Date.now() > deadline) return t.fail('It was let in for half a minute')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('a wrong token, none, or the token of another node is refused', async (t) => {
  const { nodeId, files } = await newNode()
  const other = await newNode()
  for (const token of ['node_wrong', undefined, other.token]) {
    const client = connect(t, { files, ...(token && { token }) })
    await refused(t, status.UNAUTHENTICATED, register(client, nodeId))
  }
  t.false(await isKnown(nodeId))
})

test('a node cannot speak for another, in any call', async (t) => {
  const { token, files } = await newNode()
  const { nodeId } = await newNode()
  const client = connect(t, { token, files })
  const attempt = { nodeId, taskId: randomUUID(), attempt: 1 }
  const failure = {
    code: 'internal',
    message: '',
    field: '',
    logTail: '',
    triesMax: 0,
    retryAfterMs: 0,
    refused: false,
  }
  const { signal } = new AbortController()
  for (const call of [
    () => register(client, nodeId),
    () => client.lease({ nodeId, slots: 1, waitMs: 0 }, signal),
    () => client.renew({ nodeId, tasks: [], pause: '' }),
    () => client.complete({ ...attempt, result: {} }),
    () => client.fail({ ...attempt, ...failure }),
    () => client.drain({ nodeId, handedBack: [] }),
  ]) {
    await refused(t, status.UNAUTHENTICATED, call())
  }
})

test('a node refuses a scheduler that its authority does not vouch for', async (t) => {
  const { nodeId, token, files } = await newNode()
  const foreign = await issue(stranger, { subject: scheduler, days: 1 })
  const elsewhere = { role: 'scheduler', hosts: ['elsewhere.test'] } as const
  const misnamed = await issue(authority, { subject: elsewhere, days: 1 })
  const expired = await issue(authority, { subject: scheduler, days: -1 / 1440 })
  const node = { role: 'node', nodeId, name: 'a node that plays scheduler' } as const
  const playing = await issue(authority, { subject: node, days: 1 })
  for (const identity of [foreign, misnamed, expired, playing]) {
    const { port, stop } = await start(filesOf(identity))
    t.teardown(stop)
    await refused(t, status.UNAVAILABLE, register(connect(t, { token, files, port }), nodeId))
  }
})
