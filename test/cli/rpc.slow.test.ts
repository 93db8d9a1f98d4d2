import { randomUUID, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createAuthority, type Identity, issue } from '../../runtime/authority.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { readConfig } from '../../scheduler/config.ts'
import { openContext } from '../../scheduler/context.ts'
import { serve } from '../../scheduler/serve.ts'
import { addCertificate } from '../../store/db/fleet/add-certificate.ts'
import { revokeCertificates } from '../../store/db/fleet/revoke-certificates.ts'
import { serveHealth } from '../../worker/agent/health.ts'
import { silent, startDatabase } from '../store/database.ts'
import { farm, newFolder } from './run-farm.ts'

const { db, url, stop: stopDatabase } = await startDatabase()
const folder = newFolder()
const authority = await createAuthority({ days: 1 })
const ofScheduler = await newIdentity({ role: 'scheduler', hosts: ['127.0.0.1'] }, 'scheduler')
const token = 'the token of the nodes'
const plain = await startScheduler({ FARM_NODE_TOKEN: token })
const secured = await startScheduler(ofScheduler.settings)
test.after.always(async () => {
  await Promise.all([plain.stop(), secured.stop()])
  await stopDatabase()
})

const health = 'grpc.health.v1.Health/Check'
const service = JSON.stringify({ service: 'farm.v1.NodeService' })

async function newIdentity(subject: Parameters<typeof issue>[1]['subject'], name: string) {
  const identity: Identity = await issue(authority, { subject, days: 1 })
  const path = (kind: string) => join(folder, `${name}.${kind}`)
  writeFileSync(path('ca'), authority.cert)
  writeFileSync(path('pem'), identity.cert)
  writeFileSync(path('key'), identity.key)
  const [ca, cert, key] = [path('ca'), path('pem'), path('key')]
  const settings = { FARM_TLS_CA: ca, FARM_TLS_CERT: cert, FARM_TLS_KEY: key }
  return { identity, settings }
}

async function startScheduler(settings: Record<string, string>) {
  const config = readConfig({
    ...{ DATABASE_URL: url, FARM_SCHEDULER_PORT: '0', FARM_OBJECTS: `file:${folder}` },
    ...{ FARM_PUBLIC_URL: 'http://127.0.0.1:1', FARM_SECRET: 'a secret of the tests' },
    ...settings,
  })
  const { context, close } = openContext(config, silent)
  const { port, stop } = await serve(context, config)
  const stopBoth = async () => {
    await stop()
    await close()
  }
  return { address: `127.0.0.1:${port}`, stop: stopBoth }
}

/** Creates a node that the farm knows, with the settings that `farm certs node` prints. */
async function newNode(name: string) {
  const [nodeId, ownToken] = [randomUUID(), `node_${randomUUID()}`]
  const { identity, settings } = await newIdentity({ role: 'node', nodeId, name }, name)
  const fingerprint = sha256(new X509Certificate(identity.cert).raw)
  const expiresAt = new Date(Date.now() + 3_600_000)
  const known = { fingerprint, nodeId, nodeName: name, tokenHash: sha256(ownToken), expiresAt }
  await addCertificate(db, known)
  const env = { ...settings, FARM_NODE_TOKEN: ownToken, FARM_SCHEDULER_ADDRESS: secured.address }
  return { nodeId, fingerprint, env }
}

const ofNode = { FARM_SCHEDULER_ADDRESS: plain.address, FARM_NODE_TOKEN: token }

test('a scheduler lists, describes and answers its methods', async (t) => {
  const list = await farm(['rpc', '--json'], { env: ofNode })
  t.is(list.err, '')
  const rows: { method: string; request: string }[] = JSON.parse(list.out)
  t.true(rows.some(({ method }) => method === health))
  const lease = rows.find(({ method }) => method === 'farm.v1.NodeService/Lease')
  t.deepEqual(lease, {
    method: 'farm.v1.NodeService/Lease',
    ...{ request: 'LeaseRequest', response: 'LeaseResponse' },
  })

  const described = await farm(['rpc', 'describe', 'farm.v1.NodeService/Lease'], { env: ofNode })
  t.regex(
    described.out,
    /^rpc farm\.v1\.NodeService\/Lease \(LeaseRequest\) returns \(LeaseResponse\)$/m,
  )
  t.regex(described.out, /^message farm\.v1\.LeaseRequest \{\n {2}string node_id = 1;$/m)
  t.regex(described.out, /^message farm\.v1\.Task \{\n {2}string id = 1;$/m)

  const called = await farm(['rpc', 'call', health, service], { env: ofNode })
  t.deepEqual(JSON.parse(called.out), { status: 'SERVING' })
})

test('a call as a node unknown to the farm answers why', async (t) => {
  const request = JSON.stringify({ node_id: randomUUID() })
  const renew = ['rpc', 'call', 'farm.v1.NodeService/Renew', request]
  const { code, err } = await farm(renew, { env: ofNode })
  t.is(code, 1)
  t.regex(err, /^farm: The server answered NOT_FOUND: /)
})

test('reflection refuses callers without the credentials of a node', async (t) => {
  for (const given of ['', 'a token of a stranger']) {
    const { code, err } = await farm(['rpc'], { env: { ...ofNode, FARM_NODE_TOKEN: given } })
    t.is(code, 1)
    t.regex(err, /UNAUTHENTICATED: The node's credentials must be right\. Check FARM_NODE_TOKEN/)
  }
})

test('reflection over TLS serves a known node, not revoked or tokenless ones', async (t) => {
  const { env, fingerprint } = await newNode('blue')
  const listed = await farm(['rpc'], { env })
  t.regex(listed.out, /^farm\.v1\.NodeService\/Lease /m)
  const other = await newNode('green')
  const mixed = { ...env, FARM_NODE_TOKEN: other.env.FARM_NODE_TOKEN }
  t.regex((await farm(['rpc'], { env: mixed })).err, /UNAUTHENTICATED/)
  await revokeCertificates(db, { which: fingerprint, why: 'a test' })
  // A scheduler remembers a certificate for a second.
  await sleep(1_100)
  t.regex((await farm(['rpc'], { env })).err, /UNAUTHENTICATED/)
  const outside = { FARM_SCHEDULER_ADDRESS: secured.address }
  t.regex((await farm(['rpc'], { env: outside })).err, /UNAVAILABLE/)
})

test('health is answered without credentials, as orchestrators ask', async (t) => {
  const env = { FARM_SCHEDULER_ADDRESS: plain.address }
  const { out } = await farm(['rpc', 'call', health, service], { env })
  t.deepEqual(JSON.parse(out), { status: 'SERVING' })
})

test('a node without reflection answers from this release’s definitions', async (t) => {
  const { port, set, stop } = await serveHealth({ host: '127.0.0.1', port: 0 })
  t.teardown(stop)
  set(true)
  const args = ['--address', `127.0.0.1:${port}`, '--plaintext']
  // Its TLS settings are those of the node's way to the scheduler.
  const { env } = await newNode('red')
  const { out, err } = await farm(['rpc', 'call', health, ...args], { env })
  t.is(err, '')
  t.deepEqual(JSON.parse(out), { status: 'SERVING' })
})

test('wrong usage is named before anything is called', async (t) => {
  const usage = async (...args: string[]) => {
    const { code, err } = await farm(['rpc', ...args], { env: ofNode })
    t.is(code, 2, err)
    return err
  }
  t.regex(await usage('call', 'farm.v1.NodeService/Leave'), /METHOD must be one of .*Got farm/)
  t.regex(await usage('call', 'grpc.health.v1.Health/Watch'), /one request and one reply/)
  t.regex(await usage('call', health, '[]'), /JSON must be an object\. Got \[\]/)
  t.regex(await usage('call', health, '{'), /JSON must be valid/)
  t.regex(await usage('call', health, '{"servise":"x"}'), /fields of the request.*Got servise/)
  const nested = JSON.stringify({ node_id: 'x', offer: { kind: ['render'] } })
  t.regex(await usage('call', 'farm.v1.NodeService/Register', nested), /Got offer\.kind/)
  t.regex(await usage('describe', 'farm.v1.Nothing'), /NAME must be in `farm rpc list`/)
  t.regex(await usage('list', '--timeout', '0'), /integer from 1 to 3600/)
})
