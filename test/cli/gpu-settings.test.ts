import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { settingsOfWorkers } from '../../cli/gpus/settings.ts'
import { newFolder } from './run-farm.ts'

const gpus = [0, 3].map((index) => ({
  index,
  uuid: `GPU-${index}`,
  name: 'H100',
  memoryMb: 80_000,
}))
const env = {
  FARM_NODE_NAME: 'blue',
  FARM_DATA: '/data',
  FARM_POOL: 'gpu',
  FARM_SCHEDULER_ADDRESS: 'scheduler:7070',
}

test('each worker has its own device, name, folder and addresses', (t) => {
  const addresses = { FARM_METRICS_ADDRESS: '127.0.0.1:9500', FARM_HEALTH_ADDRESS: '[::1]:9600' }
  const workers = settingsOfWorkers({ ...env, ...addresses }, { gpus })
  t.like(workers[0]?.config, { gpu: 'GPU-0', nodeName: 'blue-gpu0', dataDir: '/data/gpu-0' })
  t.like(workers[1]?.config, {
    ...{ gpu: 'GPU-3', nodeName: 'blue-gpu3', dataDir: '/data/gpu-3', pool: 'gpu' },
    metricsAddress: { host: '127.0.0.1', port: 9503 },
    healthAddress: { host: '::1', port: 9603 },
  })
})

test('port 0 stays 0, and no health is served unless set', (t) => {
  const [worker] = settingsOfWorkers(
    { ...env, FARM_METRICS_ADDRESS: '127.0.0.1:0' },
    { gpus: gpus.slice(1) },
  )
  t.is(worker?.config.metricsAddress.port, 0)
  t.is(worker?.config.healthAddress, undefined)
})

test('workers share the cores, unless their lanes and slots are said', (t) => {
  const [alone] = settingsOfWorkers(env, { gpus: gpus.slice(1) })
  const many = Array.from({ length: 64 }, (_, index) => ({ ...gpus[0], index }) as (typeof gpus)[0])
  const [one] = settingsOfWorkers(env, { gpus: many })
  t.is(one?.config.processes, 64)
  t.is(one?.config.lanes, Math.max(1, Math.floor((alone?.config.lanes ?? 0) / 64)))
  const [said] = settingsOfWorkers({ ...env, FARM_LANES: '5', FARM_SLOTS: '9' }, { gpus })
  t.like(said?.config, { lanes: 5, slots: 9 })
})

test('settings of a single worker come from its file', (t) => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  for (const { index } of gpus) {
    const token = `FARM_NODE_TOKEN=node_token_of_gpu_${index}`
    writeFileSync(join(folder, `gpu-${index}.env`), `# node 1 until 2030\n${token}\n`)
  }
  const settings = join(folder, 'gpu-{gpu}.env')
  t.deepEqual(
    settingsOfWorkers(env, { gpus, settings }).map(({ config }) => config.nodeToken),
    ['node_token_of_gpu_0', 'node_token_of_gpu_3'],
  )
  t.throws(() => settingsOfWorkers(env, { gpus, settings: join(folder, 'one.env') }), {
    message: /^--settings must have \{gpu\} in its path\. Got .*one\.env$/,
  })
  t.throws(() => settingsOfWorkers(env, { gpus, settings: join(folder, 'none-{gpu}') }), {
    message: /^--settings must name a file for each GPU\. Got .*none-0: ENOENT/,
  })
})

test('false settings are refused before anything is started', (t) => {
  t.throws(() => settingsOfWorkers({ ...env, FARM_SLOTS: 'many' }, { gpus }), { name: 'EnvError' })
})
