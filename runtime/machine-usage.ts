import { statfs } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { countCores, groupFolders, readText } from './cores.ts'

/** Use of a machine, or of the container where that is limited. Sizes in MB (2^20 bytes). */
export type MachineUsage = {
  /** Busy share of the processor since the last reading, 0 to 1. */
  readonly cpu: number
  readonly memoryUsedMb: number
  readonly memoryMb: number
  readonly diskUsedMb: number
  readonly diskMb: number
}

/** Readings within this time are the same: shares of shorter times say little. */
const freshMs = 2_000
const mb = 2 ** 20

/** Processor time so far, in any unit. */
type Spent = { readonly busy: number; readonly all: number }

/**
 * Reads the use of the processor, the memory and the disk of `dir`. A container's own figures count
 * where its control group (version 2) has a limit: the machine's would not tell when it is full.
 */
export function createUsageReader({
  dir,
  root = '/',
  now = () => performance.now(),
  spentByMachine = readMachine,
}: {
  dir: string
  root?: string
  now?: () => number
  spentByMachine?: () => Spent
}): () => Promise<MachineUsage> {
  const cores = quotaOf(root)
  const ofGroup = () => (cores === undefined ? undefined : spentByGroup(root, cores, now()))
  const readSpent = () => ofGroup() ?? spentByMachine()
  let before = readSpent()
  let last: { readonly at: number; readonly usage: MachineUsage } | undefined
  return async () => {
    if (last && now() - last.at < freshMs) return last.usage
    const after = readSpent()
    const cpu = shareOf(before, after)
    before = after
    const usage = { cpu, ...readMemory(root), ...(await readDisk(dir)) }
    last = { at: now(), usage }
    return usage
  }
}

function shareOf(before: Spent, after: Spent): number {
  const all = after.all - before.all
  return all > 0 ? Math.min(1, Math.max(0, (after.busy - before.busy) / all)) : 0
}

function readMachine(): Spent {
  const times = cpus().map((core) => core.times)
  const sum = (pick: (each: (typeof times)[number]) => number) =>
    times.reduce((total, each) => total + pick(each), 0)
  const busy = sum(({ user, nice, sys, irq }) => user + nice + sys + irq)
  return { busy, all: busy + sum(({ idle }) => idle) }
}

/** Cores of the quota of this process's group; undefined: it has none below the machine's. */
function quotaOf(root: string): number | undefined {
  const { limit } = countCores({ root })
  if (!limit?.endsWith('cpu.max')) return undefined
  const [quota = NaN, period = NaN] = readText(root, limit).split(' ').map(Number)
  return quota / period > 0 ? quota / period : undefined
}

/** Undefined where the group does not tell. */
function spentByGroup(root: string, cores: number, nowMs: number): Spent | undefined {
  const folder = ownFolder(root, 'cpu')
  const stat = folder && readText(root, join(folder, 'cpu.stat'))
  const [, usec] = /^usage_usec (\d+)$/m.exec(stat ?? '') ?? []
  return usec === undefined ? undefined : { busy: Number(usec), all: nowMs * 1_000 * cores }
}

function ownFolder(root: string, controller: 'cpu' | 'memory'): string | undefined {
  return [...groupFolders(root, controller)].filter(({ isV2 }) => isV2).at(-1)?.folder
}

/** Memory that cannot be freed at once: files that were read and are kept do not count. */
function readMemory(root: string): Pick<MachineUsage, 'memoryUsedMb' | 'memoryMb'> {
  const machine = memoryOfMachine(root)
  const group = memoryOfGroup(root)
  const { used, all } = group && group.all < machine.all ? group : machine
  return { memoryUsedMb: Math.round(used / mb), memoryMb: Math.round(all / mb) }
}

type Memory = { readonly used: number; readonly all: number }

function memoryOfMachine(root: string): Memory {
  const text = readText(root, '/proc/meminfo')
  const of = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  return { used: (of('MemTotal') - of('MemAvailable')) * 1024, all: of('MemTotal') * 1024 }
}

/** The nearest group with a limit; undefined: none has. */
function memoryOfGroup(root: string): Memory | undefined {
  for (const { isV2, folder } of [...groupFolders(root, 'memory')].reverse()) {
    const read = (file: string) => readText(root, join(folder, file))
    const all = Number.parseInt(read('memory.max'), 10)
    if (!isV2 || !(all > 0)) continue
    const [, cached = '0'] = /^inactive_file (\d+)$/m.exec(read('memory.stat')) ?? []
    const used = Number.parseInt(read('memory.current'), 10) - Number(cached)
    return { used: Math.max(0, used), all }
  }
  return undefined
}

async function readDisk(dir: string): Promise<Pick<MachineUsage, 'diskUsedMb' | 'diskMb'>> {
  const { blocks, bavail, bsize } = await statfs(dir)
  const inMb = (count: number) => Math.round((count * bsize) / mb)
  return { diskUsedMb: inMb(blocks - bavail), diskMb: inMb(blocks) }
}
