import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, type ServiceError, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { enrolmentAuthority } from '../../../core/fleet/node-identity.ts'
import { createAuthority, createRequest, type Identity, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import type { TlsFiles } from '../../../runtime/tls.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { openEnrolment } from '../../../scheduler/enrolment/open.ts'
import { serveEnrolment } from '../../../scheduler/enrolment/serve-enrolment.ts'
import { serveScaler } from '../../../scheduler/scaler/serve-scaler.ts'
import { serve } from '../../../scheduler/serve.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { addCertificate } from '../../../store/db/fleet/add-certificate.ts'
import { findBoundPool, forgetCertificates } from '../../../store/db/fleet/enrolled-nodes.ts'
import { forgetNodes } from '../../../store/db/fleet/forget-nodes.ts'
import {
  addInvitation,
  endInvitation,
  listInvitations,
} from '../../../store/db/fleet/invitations.ts'
import { shareCertificates } from '../../../store/db/fleet/lock-certificates.ts'
import { moveNode } from '../../../store/db/fleet/move-node.ts'
import { registerNode } from '../../../store/db/fleet/register-node.ts'
import { revokeCertificates } from '../../../store/db/fleet/revoke-certificates.ts'
import { openObjectStore } from '../../../store/objects/open.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'
import { enrol, openIdentity } from '../../../worker/enrolment/enrol.ts'
import { connectRenewing } from '../../../worker/enrolment/renewing-client.ts'
import type { EnrolmentConfig } from '../../../worker/enrolment/settings.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { silent, startDatabase } from '../../store/database.ts'
import { connectKeda } from '../scaler/keda.ts'
import { issuer, startCluster } from './cluster.ts'

const { db, url, stop: stopDatabase } = await startDatabase()
const dir = mkdtempSync(join(tmpdir(), 'farm-enrolment-'))
const [farmAuthority, nodeAuthority] = [
  await createAuthority({ days: 1 }),
  await createAuthority({ days: 1, name: enrolmentAuthority }),
]
const jwks = join(dir, 'jwks.json')
const tokenOf = await startCluster(jwks)
const pem = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
const own = await issue(farmAuthority, {
  subject: { role: 'scheduler', hosts: ['127.0.0.1'] },
  days: 1,
})
const env = {
  DATABASE_URL: url,
  FARM_SCHEDULER_PORT: '0',
  FARM_OBJECTS: `file:${join(dir, 'objects')}`,
  FARM_PUBLIC_URL: 'http://127.0.0.1:1',
  FARM_SECRET: 'a secret of the tests',
  FARM_TLS_CA: pem('ca.pem', farmAuthority.cert),
  FARM_TLS_CERT: pem('scheduler.pem', own.cert),
  FARM_TLS_KEY: pem('scheduler.key', own.key),
  FARM_ENROLMENT_ADDRESS: '127.0.0.1:0',
  FARM_ENROLMENT_CA_CERT: pem('enrolment.pem', nodeAuthority.cert),
  FARM_ENROLMENT_CA_KEY: pem('enrolment.key', nodeAuthority.key),
  FARM_ENROLMENT_ISSUER: issuer,
  FARM_ENROLMENT_JWKS: jwks,
  FARM_ENROLMENT_ACCOUNTS: 'farm-workers/gpu=gpu, farm-workers/cpu=cpu',
}
const config = readConfig(env)
const { context: opened, close } = openContext(config, silent)
if (config.enrolment === undefined) throw new Error('Enrolment must be configured.')
const enrolment = await openEnrolment(db, config.enrolment)
const context = { ...opened, enrolment }
const nodes = await serve(context, config)
const door = await serveEnrolment(context, { ...config.enrolment, enrolment })
test.after.always(async () => {
  await door.stop()
  await nodes.stop()
  await close()
  await stopDatabase()
  rmSync(dir, { recursive: true, force: true })
})

const address = `127.0.0.1:${nodes.port}`
const offer = {
  ...{ kinds: ['render'], slots: 1, encoders: ['libx264'], canvas: 'napi', device: 'CPU' },
  ...{ pool: 'claimed', tags: [], memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 0 },
}

/** Settings of a node that shows this token, with a folder of its own. */
function settingsOf(token: string): EnrolmentConfig {
  const folder = mkdtempSync(join(dir, 'node-'))
  const file = join(folder, 'token')
  writeFileSync(file, `${token}\n`)
  return {
    ...{ address: `127.0.0.1:${door.port}`, ca: Buffer.from(farmAuthority.cert), dir: folder },
    token: token.startsWith('join_') ? { text: token } : { file },
  }
}

const joins = (token: string, pool = '') => enrol(settingsOf(token), { name: 'blue-1', pool })

async function refused(t: ExecutionContext, code: status, call: Promise<unknown>) {
  const error = (await t.throwsAsync(call)) as ServiceError
  t.is(error.code, code, error.message)
  return error.details
}

function connect(t: ExecutionContext, identity: { token: string; tls: TlsFiles }) {
  const client = connectScheduler({ address, ...identity })
  t.teardown(() => client.close())
  return client
}

async function newInvitation({ uses = 1, seconds = 3_600, pool = 'cpu' } = {}) {
  const token = `join_${randomBytes(32).toString('hex')}`
  const tokenHash = sha256(token)
  const made = await addInvitation(db, { tokenHash, pool, uses, seconds, madeBy: 'ada' })
  return { ...made, token }
}

const nodeOf = (id: string) =>
  db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst()

test('a pod joins by its token, in the pool of its account', async (t) => {
  const uid = randomUUID()
  const identity = await joins(await tokenOf({ uid }))
  t.is(identity.nodeId, uid)
  const hours = (identity.expiresAt - Date.now()) / 3_600_000
  t.true(hours > 23 && hours <= 24, `${hours}`)
  const client = connect(t, identity)
  await client.register({ nodeId: uid, name: 'n', version: '1', offer })
  t.is((await nodeOf(uid))?.offer.pool, 'gpu', 'its own claim counted')
  await refused(
    t,
    status.UNAUTHENTICATED,
    client.register({ nodeId: randomUUID(), name: 'n', version: '1', offer }),
  )
})

test('a token that is not right is refused with its sentence', async (t) => {
  const critical = `${textOf({ alg: 'ES256', crit: ['unheard-of'], 'unheard-of': 1 })}.e30.AA`
  const elsewhere = await startCluster(join(dir, 'other.json'))
  const refusals: readonly (readonly [string, RegExp])[] = [
    [await tokenOf({ audience: 'vault' }), /must be for the audience farm-scheduler\.$/],
    [await tokenOf({ lasts: -60 }), /^The service account token must not have expired\.$/],
    [await tokenOf({ lasts: 3_000 }), /^The service account token must last at most an hour \(/],
    [await tokenOf({ from: 'https://else' }), /^The claim iss of the service account token must/],
    [await elsewhere(), /^The service account token must be signed by the cluster\.$/],
    [await tokenOf({ isBound: false }), /^The service account token must be bound to a pod/],
    [
      await tokenOf({ account: 'default' }),
      /^The service account must be one of FARM_ENROLMENT_ACCOUNTS\. Got farm-workers\/default$/,
    ],
    [critical, /^The service account token must be signed by the cluster\.$/],
    ['no token at all', /^The service account token must be signed by the cluster\.$/],
    ['join_unknown', /^The token must be one of farm nodes invite\.$/],
  ]
  for (const [token, sentence] of refusals) {
    t.regex(await refused(t, status.UNAUTHENTICATED, joins(token)), sentence)
  }
})

test('a token of another pool is refused with its sentence', async (t) => {
  const details = await refused(
    t,
    status.PERMISSION_DENIED,
    joins(await tokenOf({ account: 'cpu' }), 'gpu'),
  )
  t.is(details, 'The service account farm-workers/cpu must be for the pool gpu. It is for cpu.')
  const { token, id } = await newInvitation()
  t.is(
    await refused(t, status.PERMISSION_DENIED, joins(token, 'gpu')),
    'The invitation must be for the pool gpu. It is for cpu.',
  )
  t.is((await listInvitations(db)).find((each) => each.id === id)?.used, 0)
})

test('an invitation admits as many machines as it has uses', async (t) => {
  const { token } = await newInvitation({ uses: 2 })
  const [first, second] = [await joins(token, 'cpu'), await joins(token)]
  t.not(first.nodeId, second.nodeId)
  const client = connect(t, first)
  await client.register({ nodeId: first.nodeId, name: 'n', version: '1', offer })
  t.is((await nodeOf(first.nodeId))?.offer.pool, 'cpu')
  t.is(
    await refused(t, status.UNAUTHENTICATED, joins(token)),
    'The invitation must be open. It is used up.',
  )
})

test('an invitation that is over admits nobody', async (t) => {
  const [late, ended] = [await newInvitation({ seconds: -1 }), await newInvitation()]
  t.true(await endInvitation(db, ended.id))
  t.is(
    await refused(t, status.UNAUTHENTICATED, joins(late.token)),
    'The invitation must be open. It is expired.',
  )
  t.is(
    await refused(t, status.UNAUTHENTICATED, joins(ended.token)),
    'The invitation must be open. It is ended.',
  )
  const kept = await sql<{
    text: string
  }>`select invitations::text as text from invitations`.execute(db)
  t.false(
    kept.rows.some(({ text }) => text.includes(late.token)),
    'a token is kept in clear',
  )
})

test('a false certificate request uses no invitation up', async (t) => {
  const { token, id } = await newInvitation()
  const request = { token, certificateRequest: Buffer.from('no request'), name: '', pool: '' }
  const error = await t.throwsAsync(enrolment.enrol(request))
  t.is(error?.message, 'The certificate request must be of a P-256 key that has signed it.')
  const { request: signed } = await createRequest()
  const broken = Buffer.from(signed)
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1
  await t.throwsAsync(enrolment.enrol({ ...request, certificateRequest: broken }))
  t.is((await listInvitations(db)).find((each) => each.id === id)?.used, 0)
})

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
    }
    await client.register({ nodeId, name: 'n', version: '1', offer })
    t.truthy(await nodeOf(nodeId))
    while (renewed.length === 0) await sleep(10)
    t.deepEqual(renewed, [nodeId])
  }
})

test('only a machine that enrolled renews by its certificate', async (t) => {
  const pod = await joins(await tokenOf())
  const { request: certificateRequest } = await createRequest()
  t.is(
    await refused(
      t,
      status.FAILED_PRECONDITION,
      connect(t, pod).renewCertificate({ nodeId: pod.nodeId, certificateRequest }),
    ),
    'The node must have enrolled by an invitation.',
  )
})

test('a pod whose certificate was revoked does not come back', async (t) => {
  const uid = randomUUID()
  const token = await tokenOf({ uid })
  await joins(token)
  await revokeCertificates(db, { which: uid, why: 'stolen' })
  await sql`update node_certificates set expires_at = now() - interval '9 days'
    where node_id = ${uid}`.execute(db)
  t.is(await forgetCertificates(db, { limit: 100 }), 0)
  t.is(
    await refused(t, status.PERMISSION_DENIED, joins(token)),
    'The certificate of the pod was revoked.',
  )
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
  while (await succeeds(old.register(request)));
  while (!(await succeeds(register())));
  t.false(await succeeds(old.register(request)))
})

test('the scaler trusts no certificate of the enrolment’s authority', async (t) => {
  const scaler = await serveScaler(context, { address: { host: '127.0.0.1', port: 0 }, ...config })
  t.teardown(scaler.stop)
  const { cert, key } = await issue(nodeAuthority, { subject: { role: 'scaler' }, days: 1 })
  const ca = Buffer.from(farmAuthority.cert)
  const channel = credentials.createSsl(ca, Buffer.from(key), Buffer.from(cert))
  const client = connectKeda(`127.0.0.1:${scaler.port}`, { pool: 'gpu', slots: '1' }, channel)
  t.teardown(client.close)
  await refused(t, status.UNAVAILABLE, client.isActive())
})

test('a certificate of the enrolment’s authority alone admits nobody', async (t) => {
  const nodeId = randomUUID()
  const made = await issue(nodeAuthority, { subject: { role: 'node', nodeId, name: 'n' }, days: 1 })
  const tls = {
    ca: Buffer.from(farmAuthority.cert),
    cert: Buffer.from(made.cert),
    key: Buffer.from(made.key),
  }
  const client = connect(t, { token: 'node_guess', tls })
  await refused(
    t,
    status.UNAUTHENTICATED,
    client.register({ nodeId, name: 'n', version: '1', offer }),
  )
})

test('a scheduler by the enrolment’s authority is refused by nodes', async (t) => {
  const subject = { role: 'scheduler', hosts: ['127.0.0.1'] } as const
  const tls = filesOf(await issue(nodeAuthority, { subject, days: 1 }))
  const { port, stop } = await serve(context, { host: '127.0.0.1', port: 0, tls })
  t.teardown(stop)
  const identity = await joins(await tokenOf())
  const client = connectScheduler({ address: `127.0.0.1:${port}`, ...identity })
  t.teardown(() => client.close())
  const register = client.register({ nodeId: identity.nodeId, name: 'n', version: '1', offer })
  await refused(t, status.UNAVAILABLE, register)
})

const textOf = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')

test('a machine’s name holds letters, digits, dots, dashes and underscores', async (t) => {
  const { token, id } = await newInvitation()
  const { request: certificateRequest } = await createRequest()
  for (const name of ['blue\u001b[2J', 'a b', 'n'.repeat(65), `${randomUUID()}\n`]) {
    const error = await t.throwsAsync(
      enrolment.enrol({ token, certificateRequest, name, pool: '' }),
    )
    t.regex(error?.message ?? '', /^name must have at most 64 letters, digits/)
  }
  t.is((await listInvitations(db)).find((each) => each.id === id)?.used, 0)
})

test('a pod takes at most 60 certificates an hour', async (t) => {
  const token = await tokenOf()
  const { request: certificateRequest } = await createRequest()
  const take = () => enrolment.enrol({ token, certificateRequest, name: '', pool: '' })
  for (let n = 0; n < 60; n += 1) await take()
  t.is((await t.throwsAsync(take()))?.message, 'A node must take at most 60 certificates an hour.')
})

test('a revocation during an enrolment keeps the pod out', async (t) => {
  const uid = randomUUID()
  const token = await tokenOf({ uid })
  await joins(token)
  const { request: certificateRequest } = await createRequest()
  const again = inTransaction(db, async (tx) => {
    await shareCertificates(tx)
    const revoked = revokeCertificates(db, { which: uid, why: 'stolen' })
    await untilLocked(db)
    const fingerprint = sha256(certificateRequest)
    const plain = { nodeId: uid, nodeName: 'n', tokenHash: fingerprint, expiresAt: new Date() }
    await addCertificate(tx, { ...plain, fingerprint, enrolled: { as: 'pod', pool: 'gpu' } })
    return { revoked }
  })
  await (await again).revoked
  const left = await db
    .selectFrom('node_certificates')
    .select('fingerprint')
    .where('node_id', '=', uid)
    .where('revoked_at', 'is', null)
    .execute()
  t.deepEqual(left, [])
})

/** Waits until a transaction waits for the lock of certificates. */
async function untilLocked(any: typeof db): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from pg_locks
      where locktype = 'advisory' and not granted`.execute(any)
    if (rows.length > 0) return
  }
}

test('a revoked node stays bound to its pool for its last second', async (t) => {
  const identity = await joins(await tokenOf())
  const { nodeId } = identity
  const client = connect(t, identity)
  await client.register({ nodeId, name: 'n', version: '1', offer })
  await revokeCertificates(db, { which: nodeId, why: 'stolen' })
  t.is(await findBoundPool(db, nodeId), 'gpu')
})

test('a quarantined pod that is silent for an hour stays known', async (t) => {
  const { nodeId } = await joins(await tokenOf())
  const { lanes, ...plain } = offer
  await registerNode(db, { id: nodeId, name: 'quarantined', version: '1', offer: plain })
  await sql`update nodes set state = 'quarantined', last_seen_at = now() - interval '9 days'
    where id = ${nodeId}`.execute(db)
  await forgetNodes(db, { limit: 100 })
  t.is((await nodeOf(nodeId))?.state, 'quarantined')
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
  })
  t.teardown(busy.stop)
  const settings = { ...settingsOf('join_guess'), address: `127.0.0.1:${busy.port}` }
  const calls = Array.from({ length: 205 }, () => enrol(settings, { name: 'n', pool: '' }))
  const first = (await t.throwsAsync(Promise.race(calls))) as ServiceError
  t.is(first.code, status.RESOURCE_EXHAUSTED)
  release()
  const codes = (await Promise.allSettled(calls)).map((each) =>
    each.status === 'rejected' ? (each.reason as ServiceError).code : status.OK,
  )
  const counted = (code: status) => codes.filter((each) => each === code).length
  t.deepEqual([counted(status.RESOURCE_EXHAUSTED), counted(status.INTERNAL)], [1, 204])
  const text = await context.metrics.registry.metrics()
  t.regex(text, /farm_rpc_seconds_count\{[^}]*method="Enrol"[^}]*code="RESOURCE_EXHAUSTED"/)
})

test('a key of another authority is refused at the start', async (t) => {
  const authority = { cert: nodeAuthority.cert, key: farmAuthority.key }
  await t.throwsAsync(openEnrolment(db, { authority, cluster: undefined }), {
    message: /^FARM_ENROLMENT_CA_KEY must be the key of the authority in FARM_ENROLMENT_CA_CERT/,
  })
  const leaf = await t.throwsAsync(openEnrolment(db, { authority: own, cluster: undefined }))
  t.false(leaf?.message.includes('PRIVATE'))
})

function filesOf({ cert, key }: Identity): TlsFiles {
  return { ca: Buffer.from(nodeAuthority.cert), cert: Buffer.from(cert), key: Buffer.from(key) }
}

test.serial('a thousand nodes in and out leave nothing behind', async (t) => {
  const { request: certificateRequest } = await createRequest()
  const before = await rowsLeft()
  const { lanes, ...plain } = offer
  for (let n = 0; n < 1_000; n += 1) {
    const asked = { token: await tokenOf(), certificateRequest, name: '', pool: '' }
    const { nodeId } = await enrolment.enrol(asked)
    await registerNode(db, { id: nodeId, name: `pod-${n}`, version: '1', offer: plain })
    await moveNode(db, { nodeId, act: 'leave', reason: 'its process is being stopped' })
  }
  t.true((await rowsLeft()) >= before + 2_000)
  await sql`update nodes set last_seen_at = now() - interval '2 hours'
    where name like 'pod-%'`.execute(db)
  const settings = { publicUrl: env.FARM_PUBLIC_URL, secret: env.FARM_SECRET }
  const objects = openObjectStore(new URL(`file:${join(dir, 'objects')}`), settings)
  while (await removeExpired({ db, objects }));
  t.true((await rowsLeft()) < before + 10, `${await rowsLeft()} rows, ${before} before`)
})

/** Rows of everything that a node may leave. */
async function rowsLeft(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (select count(*) from nodes)
    + (select count(*) from node_certificates) + (select count(*) from gone_nodes)
    + (select count(*) from node_media) + (select count(*) from invitations) as count`.execute(db)
  return Number(rows[0]?.count)
}
