import { Value } from 'typebox/value'
import { engineVersion } from '../../core/engine.ts'
import {
  filmFormats,
  isEncodedAhead,
  isFilmFormat,
  type VideoEncoder,
} from '../../core/plan/formats.ts'
import type { CanvasSettings, Plan, Segment } from '../../core/plan/plan.ts'
import { groupSegments } from '../../core/plan/segments.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { RenderSpec, type TaskKind } from '../../core/queue/tasks.ts'
import type { KnownOffer } from '../../store/db/fleet/list-offers.ts'
import type { NodeOffer, TaskRequirements } from '../../store/db/fleet-schema.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import type { ResolvedJob } from './resolve-job.ts'

type JobPlace = ResolvedJob['place']

const costPixels = 1280 * 720

/** Returns the cost in frames of 720p. */
export function costOf(
  { width, height }: { readonly width: number; readonly height: number },
  frames: number,
  least = 1,
): number {
  return Math.max(least, (frames * width * height) / costPixels)
}

/** Decisions that follow from the job's render tasks in the queue. */
export type BegunRender = {
  readonly tasks: readonly JobTask[]
  readonly segments: ReadonlySet<number>
  readonly whole: boolean
}

const finishing: ReadonlySet<TaskKind> = new Set(['render', 'still', 'make', 'sheet'])

/**
 * Reads the shards that an interrupted try has queued, when the fleet may have been another. They
 * stay; only the rest is grouped anew.
 */
export function begunRender(tasks: readonly JobTask[]): BegunRender {
  const begun = tasks.filter(({ kind }) => finishing.has(kind))
  const specs = begun.flatMap(({ spec }) => (Value.Check(RenderSpec, spec) ? [spec] : []))
  return {
    tasks: begun,
    segments: new Set(specs.flatMap(({ segments }) => segments)),
    whole: begun.some(({ kind }) => kind !== 'render') || specs.some(({ assemble }) => assemble),
  }
}

/**
 * The offers to plan a job by. Each kind of task is judged by itself, by the first of these that has
 * nodes for it: online ones of this version's engine, its nodes that are gone and may come back, then
 * the same of other engines. An offer keeps the kinds for which it counts. Nodes elsewhere than the
 * job's place count before the first one there was seen.
 */
export function offersFor(place: JobPlace, known: readonly KnownOffer[]): readonly NodeOffer[] {
  const ofPlaces = rankedOf.get(known) ?? new Map<string, readonly NodeOffer[]>()
  rankedOf.set(known, ofPlaces)
  const name = JSON.stringify([place.pool, place.tags])
  const offers = ofPlaces.get(name) ?? rankOffers(place, known)
  ofPlaces.set(name, offers)
  return offers
}

/** Offers by place of each list: jobs whose queries are batched share one, of thousands of nodes. */
const rankedOf = new WeakMap<readonly KnownOffer[], Map<string, readonly NodeOffer[]>>()

function rankOffers(place: JobPlace, known: readonly KnownOffer[]): readonly NodeOffer[] {
  const placed = known.filter(({ offer }) => isAt(place, offer))
  const ranked = (placed.length > 0 ? placed : known).map(({ offer, isOnline }) => ({
    offer,
    rank: (offer.engine === engineVersion ? 0 : 2) + (isOnline ? 0 : 1),
  }))
  const best = new Map<string, number>()
  for (const { offer, rank } of ranked) {
    for (const kind of offer.kinds) best.set(kind, Math.min(rank, best.get(kind) ?? rank))
  }
  return ranked.flatMap(({ offer, rank }) => {
    const kinds = offer.kinds.filter((kind) => best.get(kind) === rank)
    return kinds.length > 0 ? [{ ...offer, kinds }] : []
  })
}

/** Answers whether the tasks of a job may go to nodes with an offer. */
export function isAt({ pool, tags }: JobPlace, offer: NodeOffer): boolean {
  return (pool === null || offer.pool === pool) && tags.every((tag) => offer.tags.includes(tag))
}

/**
 * One encoder for all shards of a job, because mixing them breaks joining: the first of the
 * format's that some node has, else the last. A still's plan names one that is never used.
 */
export function chooseEncoder(
  offers: readonly NodeOffer[],
  format: ResolvedProject['outputFormat'],
): VideoEncoder {
  const wanted: readonly VideoEncoder[] = filmFormats[isFilmFormat(format) ? format : 'mp4'].video
  const renders = offers.filter(({ kinds }) => kinds.includes('render'))
  const found = wanted.find((name) => renders.some(({ encoders }) => encoders.includes(name)))
  return found ?? wanted.at(-1) ?? 'libx264'
}

/**
 * One canvas for all shards of a job, because their pixels differ: the one with the most slots
 * among the capable nodes, then the first by name. Falls back to the CPU's.
 */
export function chooseCanvas(
  offers: readonly NodeOffer[],
  { kind, encoder }: { kind: 'render' | 'still'; encoder: VideoEncoder },
): CanvasSettings {
  const found = new Map<string, { canvas: CanvasSettings; slots: number }>()
  for (const offer of offers) {
    const canvas = canvasIn(offer)
    const encodes = kind === 'still' || offer.encoders.includes(encoder)
    if (!canvas || !encodes || !offer.kinds.includes(kind)) continue
    const name = `${canvas.backend} ${canvas.device}`
    found.set(name, { canvas, slots: (found.get(name)?.slots ?? 0) + offer.slots })
  }
  const [best] = [...found].sort(
    ([nameA, a], [nameB, b]) => b.slots - a.slots || (nameA < nameB ? -1 : 1),
  )
  return best?.[1].canvas ?? { backend: 'napi', device: 'CPU' }
}

/** Shards that the present fleet can run at once; at least 1. */
export function renderSlots(
  offers: readonly NodeOffer[],
  { encoder, canvas }: { encoder: VideoEncoder; canvas: CanvasSettings },
): number {
  const fitting = offers.filter(
    (offer) =>
      offer.kinds.includes('render') &&
      offer.encoders.includes(encoder) &&
      offer.canvas === canvas.backend &&
      offer.device === canvas.device,
  )
  return Math.max(
    1,
    fitting.reduce((sum, { slots }) => sum + slots, 0),
  )
}

/** Requirements of assembling the film: none without sound. */
export function soundEncoderOf({ audio, output }: Plan): TaskRequirements {
  if (audio.length === 0 || output.soundEncoder === null) return {}
  return { soundEncoder: output.soundEncoder }
}

/**
 * Answers whether the first shard encodes the film's sound beside its pictures: it takes one core,
 * and the others would idle during assembly.
 */
export function isSoundAhead({ audio, output }: Plan): boolean {
  return audio.length > 0 && isEncodedAhead(output.soundEncoder)
}

type PaintedAndEncoded = {
  readonly timeline: Pick<Plan['timeline'], 'width' | 'height'>
  readonly encoder: Pick<Plan['encoder'], 'encoder'>
  readonly canvas: CanvasSettings
}

/**
 * Resources that a shard takes besides its slot. Memory for pictures is rounded to powers of two,
 * so that few task shapes arise; the others are a GPU encoder session and GPU memory, where the
 * nodes with the canvas count it.
 */
export function sizesOf(
  { timeline: { width, height }, encoder, canvas }: PaintedAndEncoded,
  offers: readonly NodeOffer[],
): TaskRequirements {
  const needed = memoryBaseMb + (width * height * bytesPerPixel * frameCopies) / 2 ** 20
  const memoryMb = 2 ** Math.ceil(Math.log2(needed))
  const isCounted = offers.some(
    ({ device, gpuMemoryMb = 0 }) => device === canvas.device && gpuMemoryMb > 0,
  )
  return {
    memoryMb,
    ...(isCounted && { gpuMemoryMb: memoryMb }),
    ...(encoder.encoder === 'h264_nvenc' && { encoderSessions: 1 }),
  }
}

const bytesPerPixel = 4
/** Surfaces, frames in the encoder, and the pictures of a frame. */
const frameCopies = 8
const memoryBaseMb = 128

/**
 * The canvas that an offer or a requirement names; undefined for one that this farm does not know.
 */
function canvasIn({ canvas, device }: TaskRequirements): CanvasSettings | undefined {
  if (canvas !== 'napi' && canvas !== 'skia') return undefined
  return { backend: canvas, device: device ?? '' }
}

/** Segments to render, each content once: neither stored nor queued. */
export function segmentsToRender(
  plan: Plan,
  { stored, begun }: { stored: ReadonlySet<string>; begun: ReadonlySet<number> },
): Segment[] {
  const asked = new Set(stored)
  for (const index of begun) {
    const segment = plan.segments[index]
    if (segment) asked.add(segment.fingerprint)
  }
  return plan.segments.filter(({ fingerprint }) => {
    const fresh = !asked.has(fingerprint)
    asked.add(fingerprint)
    return fresh
  })
}

/** Limits the loss with a lost node: about 20 seconds of film. */
const shardSegmentsMax = 8
/**
 * Longest time of a shard, unless it is one segment: it limits the loss and how long others wait
 * for a turn.
 */
const shardSecondsMost = 5
/**
 * Smaller shards cost more than they gain: handing one out and joining it takes half a second of a
 * core, and a node renders its segments on all lanes. The cost, in frames of 720p, applies until
 * speed was measured. It also applies where a busy node measured slow: dividing the work would make
 * it busier.
 */
const shardSecondsLeast = 2
export const shardCostLeast = 80

export type Fleet = {
  /** Slots that can do the work, and the free ones among them. */
  readonly slots: number
  readonly free: number
  /**
   * Encoded frames a second in one slot, as measured for work of this kind; undefined = not yet.
   */
  readonly pace: number | undefined
  /** Cost of one frame, in frames of 720p. */
  readonly frameCost: number
}

/**
 * Groups segments into runs of about equal work, so many that the fleet is evenly busy. By measured
 * speed a shard takes 2 to 5 seconds. A job larger than the fleet becomes whole rounds of its
 * slots; a smaller one spreads over the free slots. Without a measurement there is one shard a
 * slot. Each shard is large enough to be worth a task.
 */
export function groupShards(
  segments: readonly Segment[],
  { slots, free, pace, frameCost }: Fleet,
): Segment[][] {
  const least = Math.ceil(segments.length / shardSegmentsMax)
  const frames = segments.reduce((sum, { encoded }) => sum + encoded, 0)
  const even = pace === undefined ? slots : evenly({ slots, free, seconds: frames / pace, least })
  const worthwhile = Math.floor((frames * frameCost) / shardCostLeast)
  const shards = Math.max(1, least, Math.min(even, worthwhile))
  const work = segments.map(({ start, encoded }) => ({ start, frames: encoded }))
  return groupSegments(work, shards).map((group) => group.flatMap((index) => segments[index] ?? []))
}

function evenly({
  slots,
  free,
  seconds,
  least,
}: {
  slots: number
  free: number
  seconds: number
  least: number
}): number {
  const needed = Math.max(least, Math.ceil(seconds / shardSecondsMost))
  if (needed > slots) return Math.ceil(needed / slots) * slots
  return Math.max(needed, Math.min(free, Math.floor(seconds / shardSecondsLeast)))
}

/** The canvas that paints a plan. */
export function canvasOf({ canvas }: Pick<Plan, 'canvas'>): TaskRequirements {
  return { canvas: canvas.backend, device: canvas.device }
}
