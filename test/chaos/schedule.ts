import { createRandom } from './random.ts'

/** What is broken, one after the other, often several at a time. */
export type Fault = {
  readonly kind: FaultKind
  /** A part or a wire of the farm (farm-of-many.ts). */
  readonly target: string
  /** From the beginning of the faults. */
  readonly atMs: number
  /** Then it is mended: started again, thawed, joined, emptied. */
  readonly lastsMs: number
  /** A cut wire either refuses at once or says nothing. */
  readonly silent: boolean
  /** Of replies: so many bytes of a connection's come through before it is cut. */
  readonly bytes: number
}

type KindFacts = {
  /** How often it is drawn beside the others. */
  readonly weight: number
  readonly targets: readonly string[]
  readonly lastsMs: readonly [number, number]
}

export const workers = ['worker 1', 'worker 2', 'worker 3'] as const
export const schedulers = ['scheduler 1', 'scheduler 2'] as const
export const workflowsRoles = ['workflows 1', 'workflows 2'] as const
export const apis = ['api 1', 'api 2'] as const
/** The one with a small disk of its own, where the machine allows it. */
const smallDiskWorker = 'worker 3'
/** Of the farm's data, as `folderOf` has it. */
export const smallDiskFolder = folderOf(smallDiskWorker)

/** Where a worker keeps its things, below the farm's data. */
export function folderOf(worker: (typeof workers)[number]): string {
  return `workers/${workers.indexOf(worker) + 1}`
}

/** Every wire between parts; what is cut and what loses replies are these. */
export const wires = {
  toScheduler: workers.map((worker) => `${worker} to schedulers`),
  toStore: [...schedulers.map((scheduler) => `nodes of ${scheduler} to store`), 'roles to store'],
  toApi: apis.map((api) => `customers to ${api}`),
  toPostgres: 'roles to postgres',
  toTemporal: 'roles to temporal',
} as const

/**
 * A freeze is longer than a lease (15 s); a cut may be. What a store's cut and MinIO's pause come to
 * together stays below what nodes wait for a store (worker/transfer.ts).
 */
const kinds = {
  'freeze worker': { weight: 2, targets: workers, lastsMs: [18_000, 24_000] },
  'cut off from schedulers': { weight: 2, targets: wires.toScheduler, lastsMs: [4_000, 22_000] },
  'fill disk': { weight: 1, targets: [smallDiskWorker], lastsMs: [6_000, 14_000] },
  'cut off from store': { weight: 2, targets: wires.toStore, lastsMs: [2_000, 12_000] },
  'stop minio': { weight: 1, targets: ['minio'], lastsMs: [2_000, 12_000] },
  'kill worker': { weight: 5, targets: workers, lastsMs: [300, 5_000] },
  'kill scheduler': { weight: 3, targets: schedulers, lastsMs: [300, 5_000] },
  'kill workflows': { weight: 3, targets: workflowsRoles, lastsMs: [300, 5_000] },
  'kill api': { weight: 2, targets: apis, lastsMs: [300, 4_000] },
  'kill temporal': { weight: 2, targets: ['temporal'], lastsMs: [300, 5_000] },
  'kill postgres': { weight: 2, targets: ['postgres'], lastsMs: [300, 4_000] },
  'lose replies': {
    weight: 5,
    targets: [
      ...[...wires.toApi, ...wires.toScheduler, ...wires.toStore],
      ...[wires.toPostgres, wires.toTemporal],
    ],
    lastsMs: [1_000, 4_000],
  },
} as const satisfies Record<string, KindFacts>

export type FaultKind = keyof typeof kinds
export const faultKinds = Object.keys(kinds) as readonly FaultKind[]

const firstAtMs = 1_500
const pauseMs = [1_000, 4_500] as const
const repliesMaxBytes = 1_500
/** Kinds that take long come first in the first round, so that a short run has them too. */
const longMs = 10_000

/**
 * The faults of a run, all mended within `seconds`. The same seed gives the same ones: every kind
 * once, then by weight; a target has one fault at a time.
 */
export function drawFaults({
  seed,
  seconds,
  hasDisk,
}: {
  seed: number
  seconds: number
  hasDisk: boolean
}): readonly Fault[] {
  const random = createRandom(seed)
  const known = faultKinds.filter((kind) => kind !== 'fill disk' || hasDisk)
  const isLong = (kind: FaultKind) => kinds[kind].lastsMs[1] > longMs
  const bag = [
    ...random.shuffled(known.filter(isLong)),
    ...random.shuffled(known.filter((kind) => !isLong(kind))),
  ]
  const busyUntil = new Map<string, number>()
  const faults: Fault[] = []
  const endMs = seconds * 1000
  for (let atMs = firstAtMs; atMs + shortestMs <= endMs; atMs += random.between(...pauseMs)) {
    const freeOf = (kind: FaultKind) =>
      kinds[kind].targets.filter((target) => (busyUntil.get(target) ?? 0) <= atMs)
    const fits = (kind: FaultKind) =>
      atMs + kinds[kind].lastsMs[1] <= endMs && freeOf(kind).length > 0
    if (!bag.some(fits)) bag.push(...random.shuffled(known.flatMap(weighted)))
    const kind = bag.find(fits)
    if (kind === undefined) continue
    bag.splice(bag.indexOf(kind), 1)
    const target = random.pick<string>(freeOf(kind))
    const [shortest, longest] = kinds[kind].lastsMs
    const lastsMs = random.between(shortest, longest)
    const bytes = Math.floor(random.between(0, repliesMaxBytes))
    faults.push({ kind, target, atMs, lastsMs, silent: random.chance(0.5), bytes })
    for (const each of touchedBy(target)) busyUntil.set(each, atMs + lastsMs + restMs)
  }
  return faults
}

/** What is started again needs a moment before it can be killed at work. */
const restMs = 3_000
const shortestMs = Math.min(...faultKinds.map((kind) => kinds[kind].lastsMs[1]))

function weighted(kind: FaultKind): FaultKind[] {
  return Array.from({ length: kinds[kind].weight }, () => kind)
}

/** A worker and its wire are one target: what is cut off is not also killed. */
function touchedBy(target: string): readonly string[] {
  const worker = workers.find((each) => target.startsWith(each))
  return worker ? [worker, `${worker} to schedulers`] : [target]
}
