import type { Moments, TimedElement, Timeline } from '../timeline/types.ts'
import { openingsOf } from './clip-openings.ts'
import { type KindRange, kindRanges } from './frame-kinds.ts'
import type { KeyFrames } from './plan.ts'
import { type FrameRange, runsWithin } from './runs.ts'

/** Longest GOP: the most that a player decodes after a seek. */
export const gopSeconds = 4

/**
 * Shortest segment: one costs a file and an encoder's start, 0.08 s of a core; shorter ones do not pay.
 */
const shortestSeconds = 1.5
/**
 * Longest segment: longer ones leave cores idle at the end of a job, and repeat more after a change.
 */
const longestSeconds = 3

/**
 * GOPs after which a still stretch gets segments of its own, however short its neighbours are.
 * Merged with them, its first and last parts would differ from the others, and each would need an
 * encoder all the same.
 */
const standingGops = 2
/**
 * Largest rest of a still stretch that its neighbour takes, as a part of a GOP. Without the rest all
 * parts have one length, so that one serves for all; this matters where an encoder gets every frame.
 */
const restMost = 1 / 10

/**
 * Cuts the film into frame ranges by its content alone: where an element begins, ends, starts or
 * stops moving. A long stretch between two such edges is cut evenly. So a change of one element
 * moves no cut far from it, and the fleet has no influence.
 *
 * A still stretch lies within one of `runs`, which cover the film. It is cut into parts of at most a
 * GOP that differ by at most a frame, so that one or two of them serve for all. `isRepeated`: the encoder
 * gets only the beginning of each. A stretch that shows a clip is cut at a near key frame of the clip.
 */
export function cutSegments(
  timeline: Timeline,
  runs: readonly KindRange[],
  { isRepeated, keyFrames = {} }: { readonly isRepeated: boolean; readonly keyFrames?: KeyFrames },
): FrameRange[] {
  const lengths = {
    shortest: Math.ceil(shortestSeconds * timeline.frameRate),
    longest: Math.ceil(longestSeconds * timeline.frameRate),
    gop: gopSeconds * timeline.frameRate,
  }
  const film = { timeline, runs, keyFrames, edges: changeFrames(timeline), lengths }
  const ranges: FrameRange[] = []
  let start = 0
  const long = runs.filter(({ frames }) => frames >= standingGops * lengths.gop)
  const stands = isRepeated ? long : withoutRests(long, timeline, lengths)
  for (const stand of stands) {
    ranges.push(...cutBetween({ start, frames: stand.start - start }, film))
    ranges.push(...cutAlike(stand, lengths.gop))
    start = stand.start + stand.frames
  }
  return [...ranges, ...cutBetween({ start, frames: timeline.frames - start }, film)]
}

/** Trims each still stretch to a length of equal parts, where a neighbour can take the rest. */
function withoutRests(
  long: readonly FrameRange[],
  timeline: Timeline,
  { gop }: Pick<Lengths, 'gop'>,
): FrameRange[] {
  const stands: FrameRange[] = []
  long.forEach(({ start, frames }, i) => {
    const rest = frames % Math.ceil(frames / gop)
    const before = stands.at(-1) ?? { start: 0, frames: 0 }
    const isFollowed = start + frames < (long[i + 1]?.start ?? timeline.frames)
    const isPreceded = before.start + before.frames < start
    const taken = rest <= restMost * gop && (isPreceded || isFollowed) ? rest : 0
    stands.push({ start: isPreceded ? start + taken : start, frames: frames - taken })
  })
  return stands
}

type Film = {
  readonly timeline: Timeline
  readonly runs: readonly KindRange[]
  readonly keyFrames: KeyFrames
  /** Frames at which something changes, ascending. */
  readonly edges: readonly number[]
  readonly lengths: Lengths
}

/** Cuts a part of the film where other sources make its frames, and then at its edges. */
function cutBetween(part: FrameRange, film: Film): FrameRange[] {
  if (part.frames === 0) return []
  return kindRanges(runsWithin(film.runs, part)).flatMap((range) => cutAtEdges(range, film))
}

/** Cuts at the edges within a part of the film, except those too near to another. */
function cutAtEdges(
  part: FrameRange,
  { timeline, runs, keyFrames, edges, lengths }: Film,
): FrameRange[] {
  const ranges: FrameRange[] = []
  const end = part.start + part.frames
  let { start } = part
  for (const edge of [...edges.filter((frame) => frame > start && frame < end), end]) {
    const tooClose = edge - start < lengths.shortest || end - edge < lengths.shortest
    if (tooClose && edge < end) continue
    const range = { start, frames: edge - start }
    const changes = runsWithin(runs, range).length
    if (changes === 1) ranges.push(...cutAlike(range, lengths.gop))
    if (changes > 1) {
      const openings = openingsOf(timeline, range, keyFrames)
      ranges.push(...cutEvenly(range, { ...lengths, openings }))
    }
    start = edge
  }
  return ranges
}

/** Distance that an edge may move to an opening, as a share of the parts' length. */
const reach = 1 / 3

type Lengths = { readonly shortest: number; readonly longest: number; readonly gop: number }

/** Cuts evenly, and moves each edge to the nearest of the `openings` within reach. */
function cutEvenly(
  { start, frames }: FrameRange,
  { openings, shortest, longest, gop }: Lengths & { readonly openings: readonly number[] },
): FrameRange[] {
  const parts = partsOf(frames, longest)
  const even = (part: number) => start + Math.round((frames * part) / parts)
  const moved = (reach * frames) / parts
  const edges: number[] = []
  for (let part = 0, before = start; part < parts; part += 1) {
    const [own, next] = [even(part), even(part + 1)]
    const least = Math.max(own - moved, before + shortest, next - gop)
    const most = Math.min(own + moved, next - shortest, before + gop)
    const near = openings.filter((frame) => part > 0 && frame >= least && frame <= most)
    const [edge = own] = near.sort((a, b) => Math.abs(a - own) - Math.abs(b - own))
    edges.push(edge)
    before = edge
  }
  return edges.map((edge, i) => ({ start: edge, frames: (edges[i + 1] ?? start + frames) - edge }))
}

/**
 * Counts the parts: each about `longest`, at most 5/4 of it. The count is even, so that two or four
 * lanes end together. Few parts are made shorter, so that many nodes share a short film.
 */
function partsOf(frames: number, longest: number): number {
  if (frames <= longest) return 1
  return 2 * Math.max(frames <= 2 * longest ? 1 : 2, Math.round(frames / longest / 2))
}

/** Cuts into the fewest parts of at most a GOP; some are a frame longer where they must be. */
function cutAlike(whole: FrameRange, gop: number): FrameRange[] {
  const parts = Math.ceil(whole.frames / gop)
  const startOf = (part: number) => whole.start + Math.ceil((whole.frames * part) / parts)
  return Array.from({ length: parts }, (_, part) => ({
    start: startOf(part),
    frames: startOf(part + 1) - startOf(part),
  }))
}

/** Frames at which the picture or its motion changes; ascending, distinct. */
function changeFrames(timeline: Timeline): number[] {
  const seconds = [
    ...timeline.elements.flatMap(turns),
    ...timeline.scenes.flatMap((scene) => [
      scene.begin,
      scene.end,
      ...scene.elements.flatMap(turns),
    ]),
  ]
  const frames = seconds.map((second) => Math.ceil(second * timeline.frameRate - 1e-6))
  return [...new Set(frames)]
    .filter((frame) => frame > 0 && frame < timeline.frames)
    .sort((a, b) => a - b)
}

function turns(element: TimedElement): number[] {
  return [
    element.begin,
    element.end,
    ...(element.moments ? [element.begin + lastMoment(element.moments)] : []),
    ...(element.link ? [element.link.begin] : []),
    ...(element.enter === null ? [] : [element.enterEnd]),
    ...(element.exit === null ? [] : [element.exitBegin]),
  ]
}

/** Seconds from the element's begin until custom code has moved it to its last position. */
const lastMoment = ({ order, frameRate }: Moments) => (order.length - 1) / frameRate

/**
 * Groups segments, in order, into at most `shards` groups of about equal frames. Grouping does not
 * change the output.
 */
export function groupSegments(segments: readonly FrameRange[], shards: number): number[][] {
  const total = segments.reduce((sum, segment) => sum + segment.frames, 0)
  const groups: number[][] = []
  let before = 0
  segments.forEach((segment, index) => {
    const middle = before + segment.frames / 2
    const group = Math.min(shards - 1, Math.floor((middle * shards) / total))
    groups[group] ??= []
    groups[group].push(index)
    before += segment.frames
  })
  return groups.filter((group) => group !== undefined)
}
