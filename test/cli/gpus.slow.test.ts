import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { schedulerOf } from '../worker/agent/scheduler-of.ts'
import { farm, newFolder, startFarmCommand } from './run-farm.ts'

const patienceMs = 240_000
const main = new URL('../../cli/main.ts', import.meta.url).pathname

/** Fakes a driver with two GPUs; it lists none while the file `broken` exists. */
function fakeDriver(folder: string): { readonly path: string; readonly broken: string } {
  const broken = join(folder, 'broken')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const script = `#!/bin/sh
if [ -e '${broken}' ]; then echo 'NVIDIA-SMI has failed'; exit 9; fi
case "$*" in
  *--query-gpu=index,uuid,*) echo '0, GPU-zero, H100, 81559'; echo '1, GPU-one, H100, 40000';;
  *) exit 6;;
esac
`
  writeFileSync(join(bin, 'nvidia-smi'), script, { mode: 0o755 })
  return { path: [bin, process.env.PATH].join(delimiter), broken }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`It must come so that ${what}.`)
    await sleep(50)
  }
}

/** Log lines of the workers' keeper so far. */
function linesOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ role }) => role === 'gpus')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('each GPU’s worker runs, restarts when it dies, drains with the others', async (t) => {
  t.timeout(2 * patienceMs)
  const folder = newFolder()
  const { path, broken } = fakeDriver(folder)
  const scheduler = await schedulerOf(t)
  const env = {
    ...{ PATH: path, FARM_SCHEDULER_ADDRESS: scheduler.address, FARM_NODE_NAME: 'blue' },
    ...{ FARM_DATA: join(folder, 'data'), FARM_METRICS_ADDRESS: '127.0.0.1:0' },
    ...{ FARM_CANVAS: 'napi', FARM_KINDS: 'still' },
  }
  const command = await startFarmCommand(t, ['worker', '--gpus', 'all'], { env })
  const registered = () => scheduler.calls('register').map(({ request }) => request)
  await until('both are known', () => registered().length === 2)
  const nodes = registered().toSorted((a, b) => a.name.localeCompare(b.name))
  t.like(nodes[0], { name: 'blue-gpu0', offer: { gpuMemoryMb: 81_559 } })
  t.like(nodes[1], { name: 'blue-gpu1', offer: { gpuMemoryMb: 40_000 } })
  t.not(nodes[0]?.nodeId, nodes[1]?.nodeId)

  const started = linesOf(await command.said(/started/)).filter(({ pid }) => pid !== undefined)
  const [first] = started.filter(({ gpu }) => gpu === 0).map(({ pid }) => Number(pid))
  const [other] = started.filter(({ gpu }) => gpu === 1).map(({ pid }) => Number(pid))
  writeFileSync(broken, '')
  process.kill(first ?? 0, 'SIGKILL')
  const said = linesOf(await command.said(/"pauseMs":2000/))
  const ends = said.filter(({ pauseMs }) => pauseMs !== undefined)
  t.like(ends[0], { gpu: 0, signal: 'SIGKILL' })
  t.like(ends.at(-1), { gpu: 0, code: 1, pauseMs: 2_000 })
  rmSync(broken)
  await until('it is known again', () => registered().length === 3)
  t.like(registered()[2], { nodeId: nodes[0]?.nodeId, name: 'blue-gpu0' })
  t.true(isAlive(other ?? 0), 'the other one goes on')

  command.kill('SIGTERM')
  const { code, err } = await command.ended
  t.is(code, 0, err)
  const drained = [...new Set(scheduler.calls('drain').map(({ request }) => request.nodeId))]
  t.deepEqual(drained.toSorted(), nodes.map(({ nodeId }) => nodeId).toSorted())
  const pids = linesOf(err).flatMap(({ pid }) => (pid === undefined ? [] : [Number(pid)]))
  t.false(pids.some(isAlive))
})

test('--gpus explains why it cannot start', async (t) => {
  t.timeout(patienceMs)
  const folder = newFolder()
  const { path, broken } = fakeDriver(folder)
  const command = [process.execPath, main]
  const none = await farm(['worker', '--gpus', 'all'], { command, env: { PATH: '/nowhere' } })
  t.is(none.code, 1)
  t.regex(
    none.err,
    /^farm: --gpus needs a working nvidia-smi on PATH; .* Got no nvidia-smi\. Without --gpus/,
  )
  const unknown = await farm(['worker', '--gpus', '1,7'], { command, env: { PATH: path } })
  t.is(unknown.code, 2)
  t.regex(unknown.err, /GPUs of this machine: 0 \(GPU-zero\), 1 \(GPU-one\)\. Got 7$/m)
  const alone = await farm(['worker', '--settings', 'gpu-{gpu}.env'], { command })
  t.is(alone.code, 2)
  t.regex(alone.err, /--settings needs --gpus/)
  writeFileSync(broken, '')
  const failing = await farm(['worker', '--gpus', 'all'], { command, env: { PATH: path } })
  t.is(failing.code, 1)
  t.regex(failing.err, /nvidia-smi on PATH.* Got NVIDIA-SMI has failed\. Without/)
})
