import { setTimeout as sleep } from 'node:timers/promises'
import { fillDisk, freeDisk } from '../farm/small-disks.ts'
import { type FarmOfMany, strandsOf } from './farm-of-many.ts'
import type { Part } from './part.ts'
import { type Fault, smallDiskFolder } from './schedule.ts'

/** Repairs the broken target. */
type Mend = () => Promise<void>

/** Time that a part took from its restart to serving. */
export type Return = { readonly kind: Fault['kind']; readonly ms: number }

/**
 * Injects the schedule's faults, and mends each in its time, independently of the others. Only a
 * fault of the same target waits until the one before is mended: on a busy machine a part may
 * return later than scheduled. Resolves when the last one is mended.
 */
export async function bringFaults(
  farm: FarmOfMany,
  faults: readonly Fault[],
  say: (line: string) => void,
): Promise<readonly Return[]> {
  const began = performance.now()
  const until = (atMs: number) => sleep(Math.max(0, began + atMs - performance.now()))
  const latest = new Map<string, Promise<Return>>()
  return await Promise.all(
    faults.map(async (fault) => {
      await until(fault.atMs)
      say(describe(fault))
      const before = latest.get(fault.target) ?? Promise.resolve()
      const brought = before.then(() => bring(farm, fault))
      latest.set(fault.target, brought)
      return await brought
    }),
  )
}

async function bring(farm: FarmOfMany, fault: Fault): Promise<Return> {
  const mend = await inject(farm, fault)
  await sleep(fault.lastsMs)
  const mendedAt = performance.now()
  await mend()
  return { kind: fault.kind, ms: performance.now() - mendedAt }
}

function describe({ kind, target, atMs, lastsMs, silent, bytes }: Fault): string {
  const how: Partial<Record<Fault['kind'], string>> = {
    'cut off from schedulers': silent ? ', silent' : ', refused',
    'cut off from store': silent ? ', silent' : ', refused',
    'lose replies': `, after ${bytes} bytes`,
  }
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const at = seconds(atMs).padStart(5)
  return `${at} s  ${kind.padEnd(23)} ${target} (${seconds(lastsMs)} s${how[kind] ?? ''})`
}

async function inject(farm: FarmOfMany, fault: Fault): Promise<Mend> {
  const { kind, target, silent, bytes } = fault
  const { wires } = farm
  switch (kind) {
    case 'kill worker':
    case 'kill scheduler':
    case 'kill workflows':
    case 'kill api':
    case 'kill temporal':
    case 'stop minio':
      return await kill(partOf(farm, target), 'SIGKILL')
    case 'kill postgres':
      // An immediate shutdown: unwritten data are lost, and the next start recovers.
      return await kill(partOf(farm, target), 'SIGQUIT')
    case 'freeze worker': {
      const part = partOf(farm, target)
      await part.freeze()
      return async () => part.thaw()
    }
    case 'cut off from schedulers':
    case 'cut off from store':
      return await onStrands(farm, target, (strand) => wires.cut(strand, silent))
    case 'lose replies':
      return await onStrands(farm, target, (strand) => wires.loseReplies(strand, bytes))
    case 'fill disk': {
      const owner = () => ({ pid: partOf(farm, target).pid(), data: farm.data })
      await partOf(farm, target).ready()
      await fillDisk(owner(), smallDiskFolder)
      return async () => await freeDisk(owner(), smallDiskFolder)
    }
    default:
      return kind satisfies never
  }
}

async function kill(part: Part, signal: NodeJS.Signals): Promise<Mend> {
  await part.kill(signal)
  return part.start
}

async function onStrands(
  { wires }: FarmOfMany,
  wire: string,
  harm: (strand: string) => Promise<void>,
): Promise<Mend> {
  const strands = strandsOf(wire)
  await Promise.all(strands.map(harm))
  return async () => void (await Promise.all(strands.map(wires.mend)))
}

function partOf(farm: FarmOfMany, name: string): Part {
  const part = farm.parts.get(name)
  if (part === undefined) throw new Error(`The farm must have a part ${name}`)
  return part
}
