import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { freePort } from '../../infra/local/ports.ts'
import { connectKeda } from '../scheduler/scaler/keda.ts'
import { startFarm } from './running-farm.ts'

const run = promisify(execFile)
const launcher = new URL('../../farm', import.meta.url).pathname

const address = `127.0.0.1:${await freePort()}`
const farm = await startFarm({ env: { FARM_SCALER_ADDRESS: address } })
const keda = connectKeda(address, { pool: 'default', slots: '2' })
test.after.always(async () => {
  keda.close()
  await farm.stop()
})

async function operate<T>(...args: string[]): Promise<T> {
  const text = await readFile(join(farm.data, 'operate.env'), 'utf8')
  const settings = text
    .trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/s).slice(0, 2))
  const env = { ...process.env, ...Object.fromEntries(settings), FARM_OPERATOR: 'tester' }
  return JSON.parse((await run(launcher, [...args, '--json'], { env })).stdout)
}

const still = {
  ...{ type: 'image', width: 64, height: 64 },
  visuals: [{ type: 'TEXT', html: '<b>one</b>' }],
}

/** Waits until the job tells that it waits for this. */
async function untilWaitsFor(reason: string, id: string): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await sleep(50)) {
    const { waiting } = (await farm.call('GET', `/api/jobs/${id}`)).body
    if ((waiting as { reason: string } | null)?.reason === reason) return
    if (Date.now() > deadline) throw new Error(`${reason}: ${JSON.stringify(waiting)}`)
  }
}

test('KEDA sees a farm go from zero to wanted and back', async (t) => {
  await operate('nodes', 'cordon', 'local-1', '--why', 'the pool is at zero')
  const stream = keda.stream()
  t.false(await stream.next())

  // The account of `farm dev` (cli/farm/dev-account.ts).
  await operate('queue', 'share', 'farm dev', '--burst', '0', '--why', 'a test')
  const id = await farm.submit(still)
  await untilWaitsFor('account_limit', id)
  t.false(await keda.isActive(), 'work of a held account counted')
  t.is((await keda.values())[0]?.metricValue, 0)

  await operate('queue', 'share', 'farm dev', '--burst', 'plan', '--why', 'a test')
  t.true(await stream.next())
  t.true(((await keda.values())[0]?.metricValue ?? 0) > 0)
  await untilWaitsFor('pool_starts', id)

  await operate('nodes', 'uncordon', 'local-1', '--why', 'its machine has come')
  t.is((await farm.finished(id)).state, 'completed')
  t.false(await stream.next())
  t.is((await keda.values())[0]?.metricValue, 0)
})
