import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { startRole } from '../../cli/farm/role.ts'
import { engineVersion } from '../../core/engine.ts'
import { startFarm } from './running-farm.ts'

const run = promisify(execFile)
const launcher = new URL('../../farm', import.meta.url).pathname
const hook = new URL('other-engine.ts', import.meta.url).href
const otherEngine = 'of the next release'

const farm = await startFarm({ workers: 1 })
const settings = await readSettings()
const node = await startRole({
  name: 'node of the next release',
  command: 'worker',
  env: {
    ...process.env,
    ...settings,
    NODE_OPTIONS: `--import ${hook}`,
    FARM_TEST_ENGINE: otherEngine,
    FARM_NODE_NAME: 'next',
    FARM_DATA: join(farm.data, 'next'),
    FARM_METRICS_ADDRESS: '127.0.0.1:0',
    FARM_LANES: '4',
  },
  logFile: join(farm.data, 'next.log'),
})
test.after.always(async () => {
  await node.stop()
  await farm.stop()
})

/** Moves all the time, so that it is cut into shards. */
const film = (name: string) => ({
  ...{ width: 640, height: 360, frameRate: 25, duration: 12 },
  visuals: [{ type: 'TEXT', html: `<b>${name}</b>`, enterEnd: 12, enterAnimation: 'slideleft' }],
})

async function readSettings(): Promise<Record<string, string>> {
  const text = await readFile(join(farm.data, 'operate.env'), 'utf8')
  const lines = text.trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
}

async function operate<T>(...args: string[]): Promise<T> {
  const env = { ...process.env, ...settings, FARM_OPERATOR: 'tester' }
  return JSON.parse((await run(launcher, [...args, '--json'], { env })).stdout)
}

type Attempt = { readonly kind: string; readonly node: string; readonly state: string }

test.serial('nodes of two engines serve at once, each its own plans', async (t) => {
  const nodes = await operate<{ name: string; version: string }[]>('nodes')
  const versions = Object.fromEntries(nodes.map(({ name, version }) => [name, version]))
  t.deepEqual(versions, { 'local-1': engineVersion, next: otherEngine })
  const ids = await Promise.all(['one', 'two', 'three'].map((name) => farm.submit(film(name))))
  for (const id of ids) {
    t.is((await farm.finished(id)).state, 'completed')
    const { attempts } = await operate<{ attempts: Attempt[] }>('jobs', 'show', id)
    t.true(attempts.length > 0)
    for (const { kind, node: at, state } of attempts) {
      t.is(state, 'completed', kind)
      t.is(at, 'local-1', kind)
    }
  }
})

test.serial('a job names the engine that no machine has', async (t) => {
  await operate('nodes', 'cordon', 'local-1', '--why', 'the test')
  const id = await farm.submit(film('four'))
  type Explained = { waiting: { reason: string; missing: string[] } | null }
  let explained: Explained
  do {
    await sleep(100)
    explained = await operate<Explained>('jobs', 'explain', id)
  } while (explained.waiting?.reason !== 'missing_capability')
  t.deepEqual(explained.waiting.missing, [`engine ${engineVersion}`])
  const lanes = await operate<{ missing: string[] }[]>('queue')
  t.deepEqual(
    lanes.map(({ missing }) => missing),
    [[`engine ${engineVersion}`]],
  )
  await operate('nodes', 'uncordon', 'local-1', '--why', 'the test')
  t.is((await farm.finished(id)).state, 'completed')
  const { attempts } = await operate<{ attempts: Attempt[] }>('jobs', 'show', id)
  t.deepEqual([...new Set(attempts.map(({ state }) => state))], ['completed'])
})
