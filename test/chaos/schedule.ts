import { createRandom } from './random.ts'

/** One fault; several may overlap. */
export type Fault = {
  readonly kind: FaultKind
  /** A part or a wire of the farm (farm-of-many.ts). */
  readonly target: string
  /** Milliseconds from the beginning of the faults. */
  readonly atMs: number
  /** Milliseconds until it is mended: restarted, thawed, joined, emptied. */
  readonly lastsMs: number
  /** A cut wire either refuses at once or stays silent. */
  readonly silent: boolean
  /** Bytes of each connection's replies that come through before it is cut. */
  readonly bytes: number
}

type KindFacts = {
  /** Relative frequency among the kinds. */
  readonly weight: number
  readonly targets: readonly string[]
  readonly lastsMs: readonly [number, number]
}

export const workers = ['worker 1', 'worker 2', 'worker 3'] as const
export const schedulers = ['scheduler 1', 'scheduler 2'] as const
export const workflowsRoles = ['workflows 1', 'workflows 2'] as const
export const apis = ['api 1', 'api 2'] as const
/** The worker with a small disk of its own, where the machine allows it. */
const smallDiskWorker = 'worker 3'
/** Its folder below the farm's data. */
export const smallDiskFolder = folderOf(smallDiskWorker)

/** Folder of a worker below the farm's data. */
export function folderOf(worker: (typeof workers)[number]): string {
  return `workers/${workers.indexOf(worker) + 1}`
}

/** Wires between parts, which are cut or lose replies. */
export const wires = {
  toScheduler: workers.map((worker) => `${worker} to schedulers`),
  toStore: [...schedulers.map((scheduler) => `nodes of ${scheduler} to store`), 'roles to store'],
  toApi: apis.map((api) => `customers to ${api}`),
  toPostgres: 'roles to postgres',
  toTemporal: 'roles to temporal',
} as const

/**
 * A freeze is longer than a lease (15 s); a cut may be. A store's cut and MinIO's pause together
 * stay below the nodes' patience with a store (worker/files/transfer.ts).
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
/** Long kinds come first in the first round, so that a short run has them too. */
const longMs = 10_000

/**
 * Draws the faults of a run, all mended within `seconds`. The same seed gives the same ones: every
 * kind once, then by weight. A target has one fault at a time.
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

/** Time before a restarted part can be killed at work. */
const restMs = 3_000
const shortestMs = Math.min(...faultKinds.map((kind) => kinds[kind].lastsMs[1]))

function weighted(kind: FaultKind): FaultKind[] {
  return Array.from({ length: kinds[kind].weight }, () => kind)
}

/** A worker and its wire are one target, so that a disconnected worker is not also killed. */
function touchedBy(target: string): readonly string[] {
  const worker = workers.find((each) => target.startsWith(each))
  return worker ? [worker, `${worker} to schedulers`] : [target]
}
