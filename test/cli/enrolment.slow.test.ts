import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../../infra/local/ports.ts'
import { listNodes } from '../../store/db/fleet/list-nodes.ts'
import { startDatabase } from '../store/database.ts'
import { farm, startFarmCommand } from './run-farm.ts'

/** Runs schedulers and workers as processes, which know each other by `farm certs` and an invitation. */

const { db, url, stop } = await startDatabase()
const dir = mkdtempSync(join(tmpdir(), 'farm-enrolment-'))
test.after.always(async () => {
  await stop()
  rmSync(dir, { recursive: true, force: true })
})

const env = { DATABASE_URL: url, FARM_OPERATOR: 'ada', FARM_METRICS_ADDRESS: '127.0.0.1:0' }
const why = ['--why', 'new machines']
const patienceMs = 120_000

async function run(...args: string[]) {
  const { code, out, err } = await farm(args, { env })
  if (code !== 0) throw new Error(err)
  return out
}

/** Settings that a command prints for a role's environment. */
function settingsIn(out: string): Record<string, string> {
  const lines = out.split('\n').filter((line) => line.startsWith('FARM_'))
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]))
}

async function startScheduler(t: ExecutionContext) {
  const files = ['--dir', join(dir, 'certs'), ...why]
  await run('certs', 'ca', ...files)
  const settings = {
    ...settingsIn(await run('certs', 'scheduler', '--host', '127.0.0.1', ...files)),
    ...settingsIn(await run('certs', 'enrolment', ...files)),
  }
  const [port, enrolmentPort] = [await freePort(), await freePort()]
  const places = {
    FARM_SCHEDULER_PORT: `${port}`,
    FARM_ENROLMENT_ADDRESS: `127.0.0.1:${enrolmentPort}`,
    FARM_OBJECTS: `file:${join(dir, 'objects')}`,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  }
  const scheduler = await startFarmCommand(t, ['scheduler'], {
    env: { ...env, ...settings, ...places },
  })
  await scheduler.said(/"msg":"ready"/)
  return {
    FARM_SCHEDULER_ADDRESS: `127.0.0.1:${port}`,
    FARM_ENROL_AT: `127.0.0.1:${enrolmentPort}`,
    FARM_TLS_CA: settings.FARM_TLS_CA ?? '',
    FARM_KINDS: 'still',
    FARM_METRICS_ADDRESS: env.FARM_METRICS_ADDRESS,
    FARM_NODE_NAME: 'blue-1',
  }
}

/** Waits until the only node that is active is registered, in its pool. */
async function activeNode() {
  for (const deadline = Date.now() + patienceMs; ; await sleep(50)) {
    const nodes = await listNodes(db, { seenWithinMs: patienceMs })
    const [node] = nodes.filter(({ state }) => state === 'active')
    if (node) return node
    if (Date.now() > deadline) throw new Error(`No node came: ${JSON.stringify(nodes)}`)
  }
}

test.serial('a worker joins by an invitation, and keeps its identity', async (t) => {
  t.timeout(2 * patienceMs)
  const settings = await startScheduler(t)
  const invited = await run('nodes', 'invite', 'cpu', '--uses', '1', '--for', '1h', ...why)
  const [, id] = /^# invitation (\S+) into cpu: 1 use until 20/.exec(invited) ?? []
  const { FARM_ENROL_TOKEN = '' } = settingsIn(invited)
  const data = join(dir, 'node')
  const machine = { ...settings, FARM_ENROL_TOKEN, FARM_DATA: data, FARM_POOL: 'cpu' }

  const worker = await startFarmCommand(t, ['worker'], { env: machine })
  const said = await worker.said(/"msg":"ready"/)
  const node = await activeNode()
  t.is(node.name, 'blue-1')
  t.is(node.offer.pool, 'cpu')
  t.false(said.includes(FARM_ENROL_TOKEN), 'the log shows the token')
  t.is(statSync(join(data, 'identity', 'identity.json')).mode & 0o777, 0o600)
  const [shown] = JSON.parse(await run('nodes', 'invitations', '--json'))
  t.like(shown, { id, pool: 'cpu', used: 1, uses: 1, status: 'used up', by: 'ada' })
  t.false(JSON.stringify(shown).includes(FARM_ENROL_TOKEN))

  // Its invitation is used up: only what it kept brings it back.
  await worker.stop()
  const again = await startFarmCommand(t, ['worker'], { env: machine })
  await again.said(/"msg":"ready"/)
  t.is((await activeNode()).id, node.id)

  const late = { ...machine, FARM_DATA: join(dir, 'late') }
  const { code, out, err } = await farm(['worker'], { env: late })
  t.is(code, 1)
  t.regex(out + err, /The node was not enrolled: The invitation must be open\. It is used up\./)
  t.false(existsSync(join(dir, 'late', 'identity')))
})

test.serial('an invitation is ended once, and its token shown once', async (t) => {
  const { id, token } = JSON.parse(await run('nodes', 'invite', 'gpu', '--json', ...why))
  t.regex(token, /^join_[0-9a-f]{64}$/)
  const [open] = JSON.parse(await run('nodes', 'invitations', '--json'))
  t.like(open, { id, pool: 'gpu', used: 0, uses: 1, status: 'open' })
  t.like(JSON.parse(await run('nodes', 'uninvite', id, '--json', ...why)), { id, status: 'ended' })
  await t.throwsAsync(run('nodes', 'uninvite', id, ...why), {
    message: new RegExp(`INVITATION must be the id of an invitation .* Got ${id}`),
  })
  for (const wrong of ['31d', '0m', 'soon']) {
    await t.throwsAsync(run('nodes', 'invite', 'gpu', '--for', wrong, ...why), {
      message: /It must be a time up to 30d, like 30m, 1h or 2d/,
    })
  }
})
