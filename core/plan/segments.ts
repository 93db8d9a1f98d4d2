import type { Moments, TimedElement, Timeline } from '../timeline/timeline.ts'
import { type KeyFrames, openingsOf } from './clip-openings.ts'
import { type FrameRange, runsWithin } from './runs.ts'

/** Longest GOP: how far a player must decode after a seek. */
export const gopSeconds = 4

/** A segment is a file and an encoder's start, 0.08 s of a core: shorter ones cost more than they save. */
const shortestSeconds = 1.5
/** Much longer ones leave cores idle at the end of a job, and more to do again after a change. */
const longestSeconds = 3

/**
 * What stands still for so many GOPs has parts of its own, however short what stands beside it: cut with that, the
 * first and the last would be unlike the others, and an encoder be started for each of them all the same.
 */
const standingGops = 2
/**
 * Where an encoder gets every frame of it, all its parts are of one length, so that one serves for all: what is left
 * over goes to its neighbour, up to this part of a GOP.
 */
const restMost = 1 / 10

/**
 * Cuts the film into frame ranges by its content alone: where something begins, ends, starts or
 * stops moving; a long stretch between two such edges is cut evenly. So a change of one element
 * moves no cut far from it, and the fleet has no say.
 *
 * A stretch that stands still (one of `runs`, which cover the film, holds all of it) is cut into
 * parts of at most a GOP which differ by a frame at most, so that one or two of them serve for all; `isHeld`: the
 * encoder gets only the beginning of each. A stretch that shows a clip is cut
 * where decoding the clip may begin, if that is near.
 */
export function cutSegments(
  timeline: Timeline,
  runs: readonly FrameRange[],
  { isHeld, keyFrames = {} }: { readonly isHeld: boolean; readonly keyFrames?: KeyFrames },
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
  const stands = isHeld ? long : withoutRests(long, timeline, lengths)
  for (const stand of stands) {
    ranges.push(...cutBetween({ start, frames: stand.start - start }, film))
    ranges.push(...cutAlike(stand, lengths.gop))
    start = stand.start + stand.frames
  }
  return [...ranges, ...cutBetween({ start, frames: timeline.frames - start }, film)]
}

/** As much of each as can be cut into equal parts where something else stands beside it. */
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
  readonly runs: readonly FrameRange[]
  readonly keyFrames: KeyFrames
  /** Where something changes, ascending. */
  readonly edges: readonly number[]
  readonly lengths: Lengths
}

/** Cuts a part of the film at the edges within it, those aside that are too near to another. */
function cutBetween(
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

/** How far an edge may move to an opening, of the parts' even length. */
const reach = 1 / 3

type Lengths = { readonly shortest: number; readonly longest: number; readonly gop: number }

/** Parts, each edge between them at the nearest of the `openings` within its reach. */
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
 * So many that they are about `longest`, and even, so that two lanes, or four, end together: at most 5/4
 * of it. Where there are few they are shorter, so that a short film is in many hands.
 */
function partsOf(frames: number, longest: number): number {
  if (frames <= longest) return 1
  return 2 * Math.max(frames <= 2 * longest ? 1 : 2, Math.round(frames / longest / 2))
}

/** As few parts as are at most a GOP long each; some are a frame longer where they must be. */
function cutAlike(whole: FrameRange, gop: number): FrameRange[] {
  const parts = Math.ceil(whole.frames / gop)
  const startOf = (part: number) => whole.start + Math.ceil((whole.frames * part) / parts)
  return Array.from({ length: parts }, (_, part) => ({
    start: startOf(part),
    frames: startOf(part + 1) - startOf(part),
  }))
}

/** Frames at which what is seen, or how it moves, changes; ascending, each once. */
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

/** When custom code has moved its element to where it stays, seconds from the element's begin. */
const lastMoment = ({ order, frameRate }: Moments) => (order.length - 1) / frameRate

/**
 * Groups segments into at most `shards` runs of about equal frames, in order. Which group a segment
 * is in changes nothing in the output.
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
