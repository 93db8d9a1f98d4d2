import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, status } from '@grpc/grpc-js'
import test from 'ava'
import { sql } from 'kysely'
import { createRequest, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import { serveScaler } from '../../../scheduler/scaler/serve-scaler.ts'
import { serve } from '../../../scheduler/serve.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { addCertificate } from '../../../store/db/fleet/add-certificate.ts'
import { findBoundPool, forgetCertificates } from '../../../store/db/fleet/enrolled-nodes.ts'
import { forgetNodes } from '../../../store/db/fleet/forget-nodes.ts'
import { endInvitation, listInvitations } from '../../../store/db/fleet/invitations.ts'
import { listCertificates } from '../../../store/db/fleet/list-certificates.ts'
import { shareCertificates } from '../../../store/db/fleet/lock-certificates.ts'
import { registerNode } from '../../../store/db/fleet/register-node.ts'
import { revokeCertificates } from '../../../store/db/fleet/revoke-certificates.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'
import { connectKeda } from '../scaler/keda.ts'
import { startCluster } from './cluster.ts'
import { offer, refused, startEnrollingFarm } from './enrolling-farm.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const {
  db,
  dir,
  config,
  context,
  enrolment,
  farmAuthority,
  nodeAuthority,
  tokenOf,
  joins,
  connect,
  newInvitation,
  nodeOf,
  filesOf,
} = farm

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

test('the list of certificates leaves out expired ones that nodes enrolled by', async (t) => {
  const [valid, expired, revoked] = [randomUUID(), randomUUID(), randomUUID()]
  for (const uid of [valid, expired, revoked]) await joins(await tokenOf({ uid }))
  await revokeCertificates(db, { which: revoked, why: 'stolen' })
  const byHand = { nodeId: randomUUID(), nodeName: 'hand', tokenHash: sha256('by hand') }
  const expiresAt = new Date(Date.now() - 1_000)
  await addCertificate(db, { ...byHand, fingerprint: sha256('by hand'), expiresAt })
  await sql`update node_certificates set expires_at = ${expiresAt}
    where node_id in (${expired}, ${revoked})`.execute(db)
  const listed = new Map((await listCertificates(db)).map((each) => [each.nodeId, each.status]))
  const statuses = [valid, expired, revoked, byHand.nodeId].map((id) => listed.get(id))
  t.deepEqual(statuses, ['valid', undefined, 'revoked', 'expired'])
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
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(
      any,
    )
    if (rows.length > 0) return
    await sleep(10)
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
