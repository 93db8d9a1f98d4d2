import { readdir, stat } from 'node:fs/promises'
import { cpus, freemem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { secondsOf } from '../statistics.ts'

/** Cost of a run. `cpu` and `memoryMb` are the whole machine's: nothing else may run on it. */
export type Cost = {
  /** Wall seconds. */
  readonly seconds: number
  /** Processor seconds. */
  readonly cpu: number
  /** Peak beyond the memory used before. */
  readonly memoryMb: number
  /** MB of output. */
  readonly megabytes: number
}

const sampleMs = 100

/** Measures the cost of the work. `into`: the folder that it fills. */
export async function costOf(work: () => Promise<unknown>, into: string): Promise<Cost> {
  const free = freemem()
  let least = free
  const watch = setInterval(() => {
    least = Math.min(least, freemem())
  }, sampleMs)
  const before = busySeconds()
  try {
    const seconds = await secondsOf(work)
    const cpu = busySeconds() - before
    const megabytes = (await bytesIn(into)) / 1e6
    return { seconds, cpu, memoryMb: (free - least) / 2 ** 20, megabytes }
  } finally {
    clearInterval(watch)
  }
}

const idleShare = 0.1
const lookMs = 500
const longestWaitMs = 60_000

/**
 * Waits until the machine is idle, so that leftover work of a freshly warmed farm, or of the peer
 * before, is not counted.
 */
export async function untilIdle(): Promise<void> {
  const end = Date.now() + longestWaitMs
  for (let busy = 1; busy > idleShare && Date.now() < end; ) {
    const [before, began] = [busySeconds(), performance.now()]
    await sleep(lookMs)
    busy = ((busySeconds() - before) * 1000) / (performance.now() - began) / cpus().length
  }
  if (Date.now() >= end) process.stderr.write('The machine was not idle within a minute.\n')
}

function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + (times.user + times.sys + times.nice) / 1000, 0)
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
