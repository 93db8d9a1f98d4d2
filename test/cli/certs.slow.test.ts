import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { freePort } from '../../infra/local/ports.ts'
import { listNodes } from '../../store/db/fleet/list-nodes.ts'
import { startDatabase } from '../store/database.ts'
import { farm, startFarmCommand } from './run-farm.ts'

const { db, url, stop } = await startDatabase()
const dir = mkdtempSync(join(tmpdir(), 'farm-certs-'))
test.after.always(async () => {
  await stop()
  rmSync(dir, { recursive: true, force: true })
})

const env = { DATABASE_URL: url }
const patienceMs = 60_000

async function run(...args: string[]) {
  const { code, out, err } = await farm(['certs', ...args], { env })
  if (code !== 0) throw new Error(err)
  return out
}

/** Settings that a command prints for a role's environment. */
function settingsIn(out: string): Record<string, string> {
  const lines = out.split('\n').filter((line) => line.startsWith('FARM_'))
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]))
}

async function nodeThatIs(isIt: (state: string) => boolean, id: string) {
  for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
    const [node] = await listNodes(db, { seenWithinMs: patienceMs, node: id })
    if (node && isIt(node.state)) return node
    if (Date.now() > deadline) throw new Error(`Node ${id} is ${node?.state ?? 'not there'}`)
  }
}

test.serial('scheduler and node work together on one authority, until it is revoked', async (t) => {
  t.timeout(180_000)
  await run('ca', '--dir', dir, '--why', 'the first', '--by', 'ada')
  const ofScheduler = settingsIn(
    await run(...['scheduler', '--dir', dir, '--host', '127.0.0.1', '--why', 'new', '--by', 'ada']),
  )
  const made = await run('node', 'blue-1', '--dir', dir, '--why', 'a new machine', '--by', 'ada')
  const id = /^# node (\S+) until /.exec(made)?.[1] ?? ''
  t.is(
    new X509Certificate(readFileSync(join(dir, 'blue-1.pem'))).subjectAltName,
    `URI:urn:farm:node:${id}`,
  )
  t.is(statSync(join(dir, 'blue-1.key')).mode & 0o777, 0o600)

  const port = `${await freePort()}`
  const schedulers = { ...ofScheduler, FARM_SCHEDULER_PORT: port, FARM_SCHEDULER_HOST: '0.0.0.0' }
  const objects = {
    FARM_OBJECTS: `file:${join(dir, 'objects')}`,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  }
  await startFarmCommand(t, ['scheduler'], { env: { ...env, ...schedulers, ...objects } })
  const nodes = { ...settingsIn(made), FARM_SCHEDULER_ADDRESS: `127.0.0.1:${port}` }
  const data = { FARM_DATA: join(dir, 'node'), FARM_KINDS: 'still' }
  await startFarmCommand(t, ['worker'], { env: { ...nodes, ...data } })
  await nodeThatIs((state) => state === 'active', id)

  const out = await run('revoke', 'blue-1', '--why', 'it was stolen', '--by', 'ada')
  t.regex(out, new RegExp(`^blue-1  ${id}  revoked .* it was stolen$`, 'm'))
  const { stateReason } = await nodeThatIs((state) => state === 'cordoned', id)
  t.is(stateReason, 'its certificate was revoked: it was stolen')
  const acts = await db.selectFrom('operator_acts').select(['actor', 'act', 'why']).execute()
  t.deepEqual(acts, [
    { actor: 'ada', act: 'certs ca', why: 'the first' },
    { actor: 'ada', act: 'certs scheduler 127.0.0.1', why: 'new' },
    { actor: 'ada', act: 'certs node', why: 'a new machine' },
    { actor: 'ada', act: 'certs revoke blue-1', why: 'it was stolen' },
  ])
})

test.serial('existing files are never overwritten, and missing ones are named', async (t) => {
  await t.throwsAsync(run('ca', '--dir', dir, '--why', 'the first', '--by', 'ada'), {
    message: /ca must not exist in .*Got an existing one/,
  })
  await t.throwsAsync(run('node', 'blue-1', '--dir', dir, '--why', 'again'), {
    message: /blue-1 must not exist in /,
  })
  const known = await db.selectFrom('node_certificates').select('fingerprint').execute()
  t.is(known.length, 1)
  t.is((await db.selectFrom('operator_acts').select('id').execute()).length, 4)
  await t.throwsAsync(run('scheduler', '--dir', join(dir, 'none'), '--host', 'x', '--why', 'x'), {
    message: /--dir must hold ca.pem and ca.key \(farm certs ca\)/,
  })
  await t.throwsAsync(run('revoke', 'nobody', '--why', 'x'), { message: /Got nobody/ })
})

test.serial('a certificate beside its place is kept, without a key of another', async (t) => {
  const other = mkdtempSync(join(tmpdir(), 'farm-certs-'))
  t.teardown(() => rmSync(other, { recursive: true, force: true }))
  writeFileSync(join(other, 'ca.pem'), 'the authority before')
  const made = run('ca', '--dir', other, '--why', 'again', '--by', 'ada')
  await t.throwsAsync(made, { message: /ca must not exist in / })
  t.deepEqual(readdirSync(other), ['ca.pem'])
})

test.serial('certificates are revoked by an id in upper case', async (t) => {
  const made = await run('node', 'blue-2', '--dir', dir, '--why', 'new', '--by', 'ada')
  const id = /^# node (\S+) until /.exec(made)?.[1] ?? ''
  const out = await run('revoke', id.toUpperCase(), '--why', 'stolen', '--by', 'ada')
  t.regex(out, new RegExp(`^blue-2  ${id}  revoked `, 'm'))
})
