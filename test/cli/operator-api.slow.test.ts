import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { insertAccess } from '../../store/db/access/insert-access.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { startGateway } from '../api/gateway.ts'
import { addOperator, addOperatorWithPassword, password } from '../api/operator/operators.ts'
import { addJob, addLostAttempt, addNode, addRunningAttempt } from '../store/database.ts'
import { farm } from './run-farm.ts'

const gateway = await startGateway({ operatorApi: 'on' })
await gateway.server.listen({ port: 0, host: '127.0.0.1' })
const { db } = gateway
const { port } = gateway.server.server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const home = await mkdtemp(join(tmpdir(), 'farm-operator-'))
test.after.always(async () => {
  await gateway.stop()
  await rm(home, { recursive: true, force: true })
})

const launcher = new URL('../../farm', import.meta.url).pathname
const byDatabase = { DATABASE_URL: gateway.databaseUrl, FARM_OPERATOR: 'ada', FARM_URL: '' }
const signedIn = { FARM_URL: url, XDG_CONFIG_HOME: home, DATABASE_URL: '', FARM_OPERATOR_TOKEN: '' }
const why = ['--why', 'a test of both ways']

async function byToken(role: 'viewer' | 'operator' | 'admin') {
  const { headers, email } = await addOperator(gateway, role)
  const token = headers.authorization?.slice('Bearer '.length) ?? ''
  return { email, env: { FARM_URL: url, FARM_OPERATOR_TOKEN: token, DATABASE_URL: '' } }
}

/** Leaves out seconds, which go on between two calls, and the widths of their columns. */
const still = (text: string) =>
  text
    .replace(/\d+(\.\d+)?(?= s\b)/g, '·')
    .replace(/("\w*[sS]econds"):[\d.]+/g, '$1:·')
    .replace(/ +/g, ' ')

test.serial('every read shows the same by the API as by the database', async (t) => {
  const { accountId } = await gateway.customer()
  const jobId = await addJob(db, accountId, 1)
  const taskId = await addLostAttempt(db, { accountId, jobId })
  const node = await addNode(db)
  await farm(['nodes', 'cordon', node, ...why], { env: byDatabase })
  await insertAccess(db, [
    {
      ...{ at: new Date().toISOString(), requestId: 'ci-7', method: 'GET', path: '/api/jobs' },
      ...{ status: 404, ms: 1.5, bytes: 300, remote: '203.0.113.9', account: accountId },
      ...{ key: 'svc_68f7d221', userId: null, agentId: null, operatorId: null, tool: null },
      ...{ made: null, aborted: true },
    },
  ])
  const { env } = await byToken('admin')
  const reads = [
    ...[['access'], ['access', '--request', 'ci-7'], ['access', '--key', 'svc_68']],
    ['access', '--account', accountId, '--status', '4xx', '--address', '203.0.113.0/24'],
    ...[['nodes'], ['nodes', 'show', node], ['pools'], ['queue'], ['queue', 'shares'], ['audit']],
    ...[['jobs'], ['jobs', 'show', jobId], ['jobs', 'explain', jobId], ['accounts', 'list']],
    ...[
      ['jobs', 'list', '--limit', '1', '--page', '2'],
      ['accounts', 'show', accountId],
    ],
    ...[['keys', 'list', accountId], ['credits', 'history', accountId], ['operators']],
    ...[
      ['webhooks', 'list', accountId],
      ['credits', 'balance', accountId],
      ['agents', 'list', accountId],
    ],
  ]
  t.truthy(taskId)
  for (const read of reads) {
    for (const args of [read, [...read, '--json']]) {
      const [one, other] = [await farm(args, { env: byDatabase }), await farm(args, { env })]
      t.is(other.code, 0, other.err)
      t.is(still(other.out), still(one.out), args.join(' '))
    }
  }
})

test.serial('a change by the API is an act of its operator', async (t) => {
  const [node, twin] = [await addNode(db), await addNode(db)]
  const { env, email } = await byToken('operator')
  const changed = await farm(['nodes', 'cordon', node, ...why, '--json'], { env })
  t.is(JSON.parse(changed.out)[0].state, 'cordoned')
  const [act] = await listActs(db, { limit: 1, subject: node })
  t.like(act, { actor: email, act: 'nodes cordon', why: 'a test of both ways' })
  await farm(['nodes', 'cordon', twin, ...why], { env: byDatabase })
  for (const args of [
    ['nodes', 'cordon', node, ...why],
    ['jobs', 'show', node],
  ]) {
    const [one, other] = [await farm(args, { env: byDatabase }), await farm(args, { env })]
    t.is(other.code, 1)
    t.is(other.err, one.err)
  }
  const limited = await farm(['pools', 'limit', 'api', '--slots', '2', ...why], { env })
  t.is(limited.code, 0, limited.err)
  t.regex(limited.err, /no node is in pool api now/)
})

test.serial('jobs and tasks are held and ended alike in both ways', async (t) => {
  const { accountId } = await gateway.customer()
  const { env } = await byToken('operator')
  for (const way of [byDatabase, env]) {
    const jobId = await addJob(db, accountId, 1)
    const taskId = await addRunningAttempt(db, { accountId, jobId })
    const run = async (...args: string[]) => {
      const { code, out, err } = await farm([...args, ...why, '--json'], { env: way })
      t.is(code, 0, err)
      return JSON.parse(out)[0] ?? JSON.parse(out)
    }
    t.like(await run('tasks', 'end', taskId, '1'), { queued: 1, running: 0, held: null })
    t.like(await run('tasks', 'retry', taskId), { id: jobId, queued: 1 })
    t.truthy((await run('jobs', 'hold', jobId)).held)
    t.like(await run('jobs', 'pause', jobId), { queued: 0, running: 0 })
    const explained = await farm(['jobs', 'explain', jobId], { env: way })
    t.regex(explained.out, /^The operators of the farm hold the job/)
    t.regex((await farm(['jobs', 'show', jobId], { env: way })).out, /held: a test of both ways/)
    t.like(await run('jobs', 'resume', jobId), { queued: 1, held: null })
  }
})

test.serial('maintenance is planned and cancelled alike in both ways', async (t) => {
  const { env } = await byToken('operator')
  for (const way of [byDatabase, env]) {
    const run = async (...args: string[]) => {
      const { code, out, err } = await farm(['maintenance', ...args, '--json'], { env: way })
      t.is(code, 0, err)
      return JSON.parse(out)
    }
    const times = ['--from', '2998-01-31T22:00:00+02:00', '--to', '2998-02-01T02:00:00+02:00']
    const [added] = [await run('add', '--pool', 'gpu', ...times, ...why)].flat()
    t.like(added, { of: 'pool gpu', state: 'to come', from: '2998-01-31T20:00:00.000Z' })
    t.like([await run('cancel', added.id, ...why)].flat()[0], { state: 'cancelled' })
    const without = [await run('add', '--no-pool', ...times, ...why)].flat()[0]
    t.is(without.of, 'pool (none)')
    t.true((await run('list')).some(({ id }: { id: string }) => id === without.id))
    const both = await farm(['maintenance', 'add', ...times, ...why], { env: way })
    t.regex(both.err, /node or pool must say what is maintained, one of them\. Got neither/)
  }
})

test.serial('a viewer changes nothing from the command line', async (t) => {
  const { env } = await byToken('viewer')
  const node = await addNode(db)
  const refused = await farm(['nodes', 'drain', node, ...why], { env })
  t.is(refused.code, 1)
  t.is(refused.err, 'farm: The operator’s role must be operator. Got viewer\n')
  t.deepEqual(await listActs(db, { limit: 1, subject: node }), [])
})

test.serial('an operator signs in, works, and signs out', async (t) => {
  const { email } = await addOperatorWithPassword(gateway, 'operator')
  const before = await farm(['nodes'], { env: signedIn })
  t.is(before.code, 2)
  t.regex(before.err, /must be signed in at FARM_URL/)
  const signIn = async (input: string) =>
    await farm(['operators', 'sign-in', email, '--password-stdin'], {
      env: signedIn,
      command: ['/bin/sh', '-c', `echo '${input}' | "$0" "$@"`, launcher],
    })
  t.regex((await signIn('wrong')).err, /must match an operator\. Got a pair that does not\n$/)
  t.is((await signIn(password)).code, 0)
  const file = join(home, 'farm', 'operator.json')
  t.is((await stat(file)).mode & 0o777, 0o600)
  t.false((await readFile(file, 'utf8')).includes(password))
  t.is((await farm(['nodes'], { env: signedIn })).code, 0)
  const by = await farm(['pools', 'limit', 'x', '--slots', '1', ...why, '--by', 'eve'], {
    env: signedIn,
  })
  t.is(by.code, 2)
  t.regex(by.err, /--by is for the database/)
  t.is((await farm(['operators', 'sign-out'], { env: signedIn })).code, 0)
  t.is((await farm(['nodes'], { env: signedIn })).code, 2)
})

test.serial('operators are created, changed and disabled on record', async (t) => {
  const run = async (...args: string[]) =>
    await farm(['operators', ...args, '--json'], { env: byDatabase })
  const email = 'grace@example.com'
  const made = JSON.parse((await run('create', email, '--role', 'viewer', ...why)).out)
  t.is(made.email, email)
  t.true(made.password.length >= 12)
  const twice = await run('create', 'Grace@Example.com', '--role', 'admin', ...why)
  t.regex(twice.err, /EMAIL must be new/)
  const shown = await run('list')
  t.false(shown.out.includes('argon2id'))
  t.is(JSON.parse((await run('role', email, '--role', 'admin', ...why)).out).role, 'admin')
  const reset = JSON.parse((await run('reset-password', email, ...why)).out)
  t.not(reset.password, made.password)
  t.truthy(JSON.parse((await run('disable', email, ...why)).out).disabled)
  const acts = await listActs(db, { limit: 9, subject: email })
  t.deepEqual(
    acts.map(({ actor, act }) => [actor, act]),
    [
      ['ada', 'operators disable'],
      ['ada', 'operators reset-password'],
      ['ada', 'operators role admin'],
      ['ada', 'operators create --role viewer'],
    ],
  )
})
