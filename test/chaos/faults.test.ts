import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { FarmOfMany } from './farm-of-many.ts'
import { bringFaults } from './faults.ts'
import type { Part } from './part.ts'
import type { Fault } from './schedule.ts'

const faultOf = (kind: Fault['kind'], target: string, atMs: number): Fault => ({
  ...{ kind, target, atMs, lastsMs: 10 },
  ...{ silent: false, bytes: 0 },
})

/** A farm whose parts return more slowly than the schedule expects. */
function slowFarm(done: string[]): FarmOfMany {
  const partOf = (name: string): Part => ({
    ...{ name, pid: () => 0, ready: async () => undefined },
    kill: async () => void done.push(`kill ${name}`),
    async start() {
      await sleep(200)
      done.push(`start ${name}`)
    },
    freeze: async () => void done.push(`freeze ${name}`),
    thaw: () => void done.push(`thaw ${name}`),
    stop: async () => ({ code: 0, signal: null }),
  })
  const parts = new Map(['worker 1', 'worker 2'].map((name) => [name, partOf(name)]))
  return { parts } as unknown as FarmOfMany
}

test('a fault waits until its target is mended', async (t) => {
  const done: string[] = []
  const faults = [
    faultOf('kill worker', 'worker 1', 0),
    faultOf('freeze worker', 'worker 1', 40),
    faultOf('freeze worker', 'worker 2', 80),
    faultOf('kill worker', 'worker 1', 90),
  ]
  const returns = await bringFaults(slowFarm(done), faults, () => undefined)
  t.is(returns.length, 4)
  const of = (name: string) => done.filter((what) => what.endsWith(name))
  t.deepEqual(
    of('worker 1').map((what) => what.split(' ')[0]),
    ['kill', 'start', 'freeze', 'thaw', 'kill', 'start'],
  )
  t.true(done.indexOf('freeze worker 2') < done.indexOf('start worker 1'), 'others do not wait')
})
