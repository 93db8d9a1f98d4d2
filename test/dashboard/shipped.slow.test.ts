import { spawn } from 'node:child_process'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { freePorts } from '../../infra/local/ports.ts'
// @ts-expect-error: the set-up runs before there is a compiler, and has no types.
import { dashboardStep } from '../../infra/setup/dashboard.mjs'
import { startDatabase } from '../store/database.ts'
import { openBrowser, openTab } from './open-browser.ts'
import { built, openSite } from './site.ts'

/** Story 22: the set-up builds the pages once, and an installation without dev packages serves them. */

const root = new URL('../../', import.meta.url).pathname

async function folder(t: { teardown(end: () => Promise<void>): void }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(async () => await rm(path, { recursive: true, force: true }))
  return path
}

test('a second set-up builds nothing, until a source is new', async (t) => {
  const copy = await folder(t)
  for (const name of ['dashboard', 'client', 'core', 'package.json', 'package-lock.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true })
  }
  await cp(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'))
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  const first = dashboardStep(copy)
  t.true(first.isNeeded())
  await first.install()
  t.regex(await readFile(join(copy, 'out/dashboard/index.html'), 'utf8'), /assets\/index-/)
  t.is(dashboardStep(copy), undefined)
  await writeFile(join(copy, 'dashboard/src/new.ts'), 'export {}\n')
  t.true(dashboardStep(copy).isNeeded())
})

test('all code of the pages is within its 500 kB, packed', async (t) => {
  const names = (await readdir(built, { recursive: true })).filter((name) => name.endsWith('.br'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(built, name))).size))
  t.true(names.length > 50)
  t.true(sizes.reduce((sum, size) => sum + size, 0) <= 500_000, `${sizes}`)
  // The editor and New bulk share one judge.
  t.is(names.filter((name) => /^assets\/rules-/.test(name)).length, 1)
})

type Lock = {
  readonly packages: Record<string, { readonly dev?: boolean; readonly link?: boolean }>
}

/** Copies the packages that `npm ci --omit=dev` installs, by hard links. */
async function installProduction(into: string): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  const nested = /node_modules\/.*node_modules\//
  const names = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev && !nested.test(path))
    .map(([path]) => path)
  const listed = names.filter((path) => path.startsWith('node_modules/'))
  for (const path of listed) await mkdir(dirname(join(into, path)), { recursive: true })
  const script = 'for path in "$@"; do [ -e "$0/$path" ] && cp -al "$0/$path" "$path"; done; true'
  await finished(spawn('sh', ['-c', script, root, ...listed], { cwd: into, stdio: 'ignore' }))
  return listed.length
}

/** Names the folders that an image has: all but the pages' sources and what only developers need. */
async function roomsOf(folder: string): Promise<string[]> {
  const notShipped = new Set(['bench', 'dashboard', 'docs', 'node_modules', 'out', 'test'])
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => !notShipped.has(name))
}

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`)
}

test('an installation without dev packages serves the shipped pages', async (t) => {
  const copy = await folder(t)
  // As an image has it: no sources of the pages, only what was built of them.
  for (const name of [...(await roomsOf(root)), 'package.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true })
  }
  await cp(built, join(copy, 'out/dashboard'), { recursive: true })
  t.true((await installProduction(copy)) > 100)
  await t.throwsAsync(readFile(join(copy, 'node_modules/vite/package.json')))
  t.is(dashboardStep(copy), undefined)

  const database = await startDatabase()
  const [port = 0, metrics = 0] = await freePorts(2)
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    ...{ DATABASE_URL: database.url, FARM_SECRET: 'a secret for the test', FARM_PUBLIC_URL: url },
    ...{ FARM_PORT: String(port), FARM_METRICS_ADDRESS: `127.0.0.1:${metrics}` },
    ...{ FARM_OBJECTS: `file://${join(copy, 'objects')}`, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  }
  const api = spawn(process.execPath, ['cli/main.ts', 'api'], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [api.stdout, api.stderr]) stream.on('data', (text) => (said += text))
  t.teardown(async () => {
    api.kill()
    await database.stop()
  })
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))) {
    if (api.exitCode !== null) throw new Error(said)
    await sleep(100)
  }
  const browser = await openBrowser()
  t.teardown(async () => await browser.close())
  const tab = await openTab(await browser.newContext())
  await tab.page.goto(url)
  await tab.page.waitForSelector('input[name=email]')
  t.deepEqual(tab.faults, [])
})

test('the published document has no address of pages', async (t) => {
  const { origin, gateway } = await openSite()
  t.teardown(async () => await gateway.stop())
  const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as { paths: object }
  const page = /^\/(assets|jobs|bulks|templates|editor|webhooks|keys|credits|settings)?(\/|$)/
  t.deepEqual(
    Object.keys(paths).filter((path) => path !== '/' && page.test(path)),
    [],
  )
})
