import { Value } from 'typebox/value'
import {
  filmFormats,
  isEncodedAhead,
  isFilmFormat,
  type VideoEncoder,
  videoEncoders,
} from '../../core/plan/formats.ts'
import type { CanvasSettings, Plan, Segment } from '../../core/plan/plan.ts'
import { groupSegments } from '../../core/plan/segments.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { RenderSpec, type TaskKind } from '../../core/tasks.ts'
import type { NodeOffer, TaskRequirements } from '../../store/db/fleet-schema.ts'
import type { JobTask } from '../../store/db/statements/list-tasks-of-jobs.ts'

/** A node is taken as there when it spoke so lately; its longest poll is shorter. */
export const onlineMs = 30_000

const costPixels = 1280 * 720

/** Frames of 720p. */
export function costOf(
  { width, height }: { readonly width: number; readonly height: number },
  frames: number,
  least = 1,
): number {
  return Math.max(least, (frames * width * height) / costPixels)
}

/** What a job's render tasks that are in the queue already have settled. */
export type BegunRender = {
  readonly tasks: readonly JobTask[]
  readonly segments: ReadonlySet<number>
  readonly whole: boolean
  readonly encoder: VideoEncoder | undefined
  readonly canvas: CanvasSettings | undefined
}

const finishing: ReadonlySet<TaskKind> = new Set(['render', 'still', 'make'])

/**
 * A step that was cut off half-way and is repeated finds another fleet: what the first try put into
 * the queue stays as it is, and only the rest is grouped anew.
 */
export function begunRender(tasks: readonly JobTask[]): BegunRender {
  const begun = tasks.filter(({ kind }) => finishing.has(kind))
  const specs = begun.flatMap(({ spec }) => (Value.Check(RenderSpec, spec) ? [spec] : []))
  const encoder = begun.map(({ requirements }) => requirements.encoder).find((name) => name)
  return {
    tasks: begun,
    segments: new Set(specs.flatMap(({ segments }) => segments)),
    whole: begun.some(({ kind }) => kind !== 'render') || specs.some(({ assemble }) => assemble),
    encoder: videoEncoders.find((known) => known === encoder),
    canvas: begun.map(({ requirements }) => canvasIn(requirements)).find((canvas) => canvas),
  }
}

/**
 * One encoder for all shards of a job, because mixing them breaks joining: the first of the format's
 * that some node has, else the last. A still's plan names one and nothing uses it.
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
 * One canvas for all shards of a job, because their pixels differ: the one with the most slots among
 * the nodes that could do the work, of equal ones the first by name. The CPU's when there is none.
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

/** Shards that can run at once on the fleet as it is; at least 1. */
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

/** What putting the film together asks of a node: nothing when the film has no sound. */
export function soundEncoderOf({ audio, output }: Plan): TaskRequirements {
  if (audio.length === 0 || output.soundEncoder === null) return {}
  return { soundEncoder: output.soundEncoder }
}

/**
 * Whether the film's sound is encoded by the first shard, beside its pictures: it takes one core, and while
 * the film is joined the others would stand idle.
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
 * What a shard takes of a node for as long as it runs, besides its slot: memory for its pictures, in
 * powers of two so that few shapes of tasks come of it; a session of the GPU's encoder; memory of
 * the GPU, where the nodes that have the canvas say that they count it.
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
/** Surfaces, what is being encoded, and the pictures of a frame. */
const frameCopies = 8
const memoryBaseMb = 128

/** The canvas that an offer or a requirement names; undefined for one that this farm does not know. */
function canvasIn({ canvas, device }: TaskRequirements): CanvasSettings | undefined {
  if (canvas !== 'napi' && canvas !== 'skia') return undefined
  return { backend: canvas, device: device ?? '' }
}

/** Segments to render, each content once: not in the store, not asked for already. */
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

/** What a node that is lost loses at most of a shard: about 20 seconds of film. */
const shardSegmentsMax = 8
/** What a shard takes at most, unless it is one segment: a lost one costs so much, a turn comes so often. */
const shardSecondsMost = 5
/**
 * Less than this costs more than it gains: handing a shard out and joining what it made takes half a
 * second of a core, and a node renders the segments of one shard on all of its lanes. The cost, in frames
 * of 720p, holds where nothing was measured yet, and where a busy node was measured as slow: dividing the
 * work would make it busier.
 */
const shardSecondsLeast = 2
export const shardCostLeast = 80

export type Fleet = {
  /** Slots that can do the work, and those of them that are free. */
  readonly slots: number
  readonly free: number
  /** Encoded frames a second in one slot, as measured for work of this kind; undefined = not yet. */
  readonly pace: number | undefined
  /** Of one frame, in frames of 720p. */
  readonly frameCost: number
}

/**
 * The segments in runs of about equal work, as many as keep the fleet evenly busy. By what has been
 * measured a shard takes 2 to 5 seconds: a job that is larger than the fleet is cut into whole rounds
 * of its slots, a smaller one is spread over the slots that are free. Until something has been
 * measured there is one for each slot. No shard is so small that it is not worth its task.
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

/** What paints for a plan. */
export function canvasOf({ canvas }: Pick<Plan, 'canvas'>): TaskRequirements {
  return { canvas: canvas.backend, device: canvas.device }
}
