import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { traceIdOf } from '../../runtime/tracing/places.ts'
import { processesOf, startFarm } from './running-farm.ts'

const run = promisify(execFile)
const launcher = new URL('../../farm', import.meta.url).pathname

const farm = await startFarm({ workers: 2, apart: true })
test.after.always(() => farm.stop())

/** Moves all the time, so that every frame is painted. */
const film = (name: string, seconds = 12) => ({
  width: 640,
  height: 360,
  frameRate: 25,
  duration: seconds,
  visuals: [
    { type: 'TEXT', html: `<b>${name}</b>`, enterEnd: seconds, enterAnimation: 'slideleft' },
  ],
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

/**
 * Restarts every process of a role as a supervisor would, one after the other, each ready before
 * the next.
 */
async function restart(role: string): Promise<void> {
  for (const pid of await processesOf(farm, `main.ts ${role}`)) {
    const before = await processesOf(farm, `main.ts ${role}`)
    process.kill(pid, 'SIGTERM')
    for (;;) {
      const now = await processesOf(farm, `main.ts ${role}`)
      if (!now.includes(pid) && now.length >= before.length) break
      await sleep(100)
    }
  }
}

type Node = { readonly id: string; readonly name: string; readonly state: string }

/** Returns the active nodes; restarted ones are active again once they have registered. */
async function activeNodes(): Promise<Node[]> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const nodes = await operate<Node[]>('nodes')
    if (nodes.every(({ state }) => state === 'active')) return nodes
    if (Date.now() > deadline) throw new Error(JSON.stringify(nodes))
  }
}

test.serial('a rolling restart of nodes and schedulers fails no job', async (t) => {
  const ids = await Promise.all(['one', 'two', 'three'].map((name) => farm.submit(film(name))))
  await farm.waitFor(ids[0] ?? '', ({ state }) => state === 'rendering')
  await restart('worker')
  await restart('scheduler')
  for (const id of ids) t.is((await farm.finished(id)).state, 'completed')
  type Shown = { trace: string; attempts: { state: string }[] }
  for (const id of ids) {
    const { attempts, trace } = await operate<Shown>('jobs', 'show', id)
    t.false(
      attempts.some(({ state }) => state === 'failed'),
      JSON.stringify(attempts),
    )
    t.is(trace, traceIdOf(id))
  }
})

test.serial('nodes are looked after from the command line, on record', async (t) => {
  const nodes = await activeNodes()
  t.deepEqual(
    nodes.map(({ name }) => name),
    ['local-1', 'local-2'],
  )
  for (const { id } of nodes) await operate('nodes', 'cordon', id, '--why', 'new disks')
  const id = await farm.submit(film('four'))
  type Explained = { waiting: { reason: string; message: string } | null }
  let explained: Explained
  do explained = await operate<Explained>('jobs', 'explain', id)
  while (explained.waiting === null)
  t.is(explained.waiting.reason, 'no_machine')
  const shown = (await farm.call('GET', `/api/jobs/${id}`)).body as Explained
  t.is(shown.waiting?.message, explained.waiting.message)
  await operate('nodes', 'uncordon', 'local-1', '--why', 'done')
  t.is((await farm.finished(id)).state, 'completed')
  type Act = { actor: string; act: string; why: string }
  const acts = await operate<Act[]>('audit')
  t.deepEqual(
    acts.map(({ actor, act, why }) => [actor, act, why]),
    [
      ['tester', 'nodes uncordon', 'done'],
      ['tester', 'nodes cordon', 'new disks'],
      ['tester', 'nodes cordon', 'new disks'],
    ],
  )
})

test.serial('a completed task shows its times; a cancelled job can be retried', async (t) => {
  // Longer than a command takes to begin.
  const id = await farm.submit(film('five', 60))
  await farm.waitFor(id, ({ state }) => state === 'rendering')
  await operate('jobs', 'cancel', id, '--why', 'a test')
  t.is((await farm.finished(id)).state, 'cancelled')
  const again = await operate<{ id: string }>('jobs', 'retry', id, '--why', 'a test')
  t.is((await farm.finished(again.id)).state, 'completed')
  type Shown = { attempts: { taskId: string; kind: string; state: string }[] }
  const { attempts } = await operate<Shown>('jobs', 'show', again.id)
  const done = attempts.find(({ kind, state }) => kind === 'render' && state === 'completed')
  type Told = { log: null; seconds: number; stages: Record<string, number> }
  const { log, seconds, stages } = await operate<Told>('logs', done?.taskId ?? '')
  t.is(log, null)
  t.true((stages.segments ?? 0) > 0 && (stages.segments ?? 0) < seconds, JSON.stringify(stages))
})
