import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { parse } from 'yaml'
import { imageName } from '../../infra/image/build.ts'
import { shellBlocks } from './installation-page.ts'

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url))
const text = readFileSync(`${deploy}/compose.yaml`, 'utf8')

type Service = {
  image: string
  read_only?: boolean
  user?: string
  cap_drop?: string[]
  ports?: string[]
  networks: string[]
  security_opt?: string[]
}

const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
const own = Object.entries(services).filter(([, { image }]) => image.includes('farm-'))

/** Runs a copy of make-env.sh; each call has a folder of its own. */
function makeEnv(...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-env-'))
  copyFileSync(`${deploy}/make-env.sh`, join(folder, 'make-env.sh'))
  const file = join(folder, '.env')
  const run = () => spawnSync('sh', [join(folder, 'make-env.sh'), ...args], { encoding: 'utf8' })
  const { status } = run()
  const read = () =>
    Object.fromEntries(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    )
  return { folder, file, status, run, read, remove: () => rmSync(folder, { recursive: true }) }
}

test("compose.yaml runs this version's images, confined", (t) => {
  t.deepEqual(
    own.map(([name]) => name),
    ['migrate', 'api', 'scheduler', 'workflows', 'worker'],
  )
  for (const [name, { image, read_only, user, cap_drop, security_opt }] of own) {
    const target = name === 'worker' ? 'worker' : 'control'
    t.true(image.endsWith(`:-${imageName(target)}}`), image)
    t.deepEqual(
      { read_only, user, cap_drop },
      { read_only: true, user: '10001:10001', cap_drop: ['ALL'] },
    )
    t.true(security_opt?.includes('no-new-privileges'), name)
  }
})

test('compose.yaml publishes two ports, to this machine alone', (t) => {
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => [name, port.split(':-')[1]?.split('}')[0]]),
  )
  t.deepEqual(published, [
    ['store', '127.0.0.1'],
    ['api', '127.0.0.1'],
  ])
})

test('the worker shares no network with Postgres and Temporal', (t) => {
  t.deepEqual(services.worker?.networks, ['nodes'])
  for (const name of ['postgres', 'temporal', 'api', 'workflows']) {
    t.false(services[name]?.networks.includes('nodes'), name)
  }
})

test('the page’s commands stand in no variable, which zsh would not split', (t) => {
  const blocks = shellBlocks('Compose')
  t.is(blocks.length, 4)
  for (const block of blocks) t.notRegex(block, /(?:^|\(|until )\s*\$\w/m)
})

test('make-env.sh writes every setting that compose.yaml insists on', (t) => {
  const made = makeEnv()
  t.teardown(made.remove)
  t.is(made.status, 0)
  t.is(statSync(made.file).mode & 0o777, 0o600)
  const env = made.read()
  for (const [, name = ''] of text.matchAll(/\$\{(\w+):\?/g)) t.truthy(env[name], name)
  t.is(
    env.FARM_SECCOMP,
    join(
      execFileSync('realpath', [made.folder], { encoding: 'utf8' }).trim(),
      'seccomp/farm-worker.json',
    ),
  )
})

test('make-env.sh makes other secrets each time, and keeps a file', (t) => {
  const [one, two] = [makeEnv(), makeEnv('--podman')]
  for (const { remove } of [one, two]) t.teardown(remove)
  const [first, second] = [one.read(), two.read()]
  for (const name of ['POSTGRES_PASSWORD', 'STORE_PASSWORD', 'FARM_SECRET', 'FARM_NODE_TOKEN']) {
    t.regex(first[name] ?? '', /^[0-9a-f]{48}$/)
    t.not(first[name], second[name])
  }
  t.deepEqual([first.FARM_UNMASK, second.FARM_UNMASK], ['systempaths=unconfined', 'unmask=ALL'])
  const again = one.run()
  t.is(again.status, 1)
  t.regex(again.stderr, /exists already and is kept/)
  t.deepEqual(one.read(), first)
  const wrong = makeEnv('--docker')
  t.teardown(wrong.remove)
  t.is(wrong.status, 1)
})
