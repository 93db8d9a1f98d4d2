import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { startTemporal } from '../../infra/local/temporal.ts'
import { insertJobWithHold } from '../../store/db/jobs/insert-job-with-hold.ts'
import { farm } from '../cli/run-farm.ts'
import { addAccount, startDatabase } from '../store/database.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'farm-bundle-'))
const bundle = join(folder, 'workflows.js')
const data = join(folder, 'data')
const cache = join(root, 'node_modules', '.cache')
for (const dir of [data, cache]) mkdirSync(dir, { recursive: true })
const { db, url, stop: stopDatabase } = await startDatabase()
const temporal = await startTemporal({ dataDir: join(folder, 'temporal') })
test.after.always(async () => {
  await temporal.stop()
  await stopDatabase()
  rmSync(folder, { recursive: true, force: true })
})

const patienceMs = 120_000
const env = {
  DATABASE_URL: url,
  TEMPORAL_ADDRESS: temporal.address,
  FARM_OBJECTS: `file:${data}/objects`,
  FARM_PUBLIC_URL: 'http://127.0.0.1:1',
  FARM_SECRET: 'a secret of the tests',
  FARM_METRICS_ADDRESS: '127.0.0.1:0',
}

/** Only `data` and a /tmp like an emptyDir's are writable, and this checkout's cache is hidden. */
const readOnly = [
  ...[
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--chmod',
    '0777',
    '/tmp',
  ],
  ...['--ro-bind', root, root, '--tmpfs', cache, '--remount-ro', cache],
  ...['--ro-bind', folder, folder, '--bind', data, data, '--die-with-parent', '--chdir', root],
]
const hasBwrap = spawnSync('bwrap', [...readOnly, 'true']).status === 0

function startReadOnly(more: Record<string, string>) {
  const child = spawn('bwrap', [...readOnly, join(root, 'farm'), 'workflows'], {
    env: { PATH: process.env.PATH, HOME: '/nowhere', ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  return { child, text: () => text }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test.serial('a bundle is written beforehand, without any server', async (t) => {
  const { code, out, err } = await farm(['workflows', '--bundle', bundle])
  t.is(code, 0, err)
  t.is(out.trim(), `wrote ${bundle}`)
  t.regex(readFileSync(bundle, 'utf8'), /^\/\/ farm workflows [0-9a-f]{32} [0-9a-f]{64}\n/)
})

test.serial('the role runs workflows on a read-only root with a kept bundle', async (t) => {
  if (!hasBwrap) {
    t.log('skipped: bwrap is not here, or may not mount')
    t.pass()
    return
  }
  const role = startReadOnly({ FARM_WORKFLOW_BUNDLE: bundle })
  t.teardown(() => end(role.child))
  const id = crypto.randomUUID()
  const accountId = await addAccount(db)
  const payload = { type: 'image', width: 64, height: 64, visuals: [] }
  const job = { id, accountId, type: 'image', name: 'still', request: { payload }, credits: 1 }
  await insertJobWithHold(db, job as never)
  await db
    .updateTable('jobs')
    .set({ created_at: new Date(Date.now() - 60_000) } as never)
    .where('id', '=', id)
    .execute()
  for (const deadline = Date.now() + patienceMs; ; await sleep(100)) {
    const tasks = await db.selectFrom('tasks').select('id').where('job_id', '=', id).execute()
    if (tasks.length > 0) break
    if (role.child.exitCode !== null || Date.now() > deadline) throw new Error(role.text())
  }
  t.regex(role.text(), /"msg":"ready"/)
})

test.serial('a role on a read-only root explains how to make a bundle', async (t) => {
  if (!hasBwrap) {
    t.log('skipped: bwrap is not here, or may not mount')
    t.pass()
    return
  }
  const role = startReadOnly({ XDG_CACHE_HOME: '/nowhere' })
  t.teardown(() => end(role.child))
  for (const deadline = Date.now() + patienceMs; role.child.exitCode === null; await sleep(100)) {
    if (Date.now() > deadline) throw new Error(role.text())
  }
  t.regex(
    role.text(),
    /could not be made here \(`farm workflows --bundle FILE` makes one beforehand/,
  )
})

const isRefused = async (file: string) => {
  const { code, err } = await farm(['workflows'], { env: { ...env, FARM_WORKFLOW_BUNDLE: file } })
  return { code, err: err.trim() }
}

test.serial('bundles of another version, partial and missing ones are refused', async (t) => {
  const text = readFileSync(bundle, 'utf8')
  const other = join(folder, 'other.js')
  writeFileSync(other, text.replace(/[0-9a-f]{32}/, '0'.repeat(32)))
  const part = join(folder, 'part.js')
  writeFileSync(part, text.slice(0, -10))
  const cases: [string, RegExp][] = [
    [
      other,
      /^farm: FARM_WORKFLOW_BUNDLE must be a bundle of this version's workflows \([0-9a-f]{32}\), not of another's \(0{32}\); `farm workflows --bundle FILE` makes one beforehand/m,
    ],
    [part, /^farm: FARM_WORKFLOW_BUNDLE must be a whole bundle of workflows; /m],
    ['/nowhere.js', /^farm: FARM_WORKFLOW_BUNDLE must be a file that can be read \(ENOENT\); /m],
  ]
  for (const [file, sentence] of cases) {
    const { code, err } = await isRefused(file)
    t.is(code, 2)
    t.regex(err, sentence)
  }
})
