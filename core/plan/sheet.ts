import type { DrawCommand } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import type { Size } from '../timeline/rect.ts'
import type { Timeline } from '../timeline/types.ts'
import type { FrameRange } from './runs.ts'

/** Moment of a film that a contact sheet shows. */
export type Moment = { readonly seconds: number; readonly frame: number }

/** Times are decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

/** Returns the frame that shows each time, or the first time that is beyond the film's end. */
export function momentsAt(
  { frames, frameRate }: Pick<Timeline, 'frames' | 'frameRate'>,
  times: readonly number[],
): readonly Moment[] | { readonly beyond: number } {
  const end = frames / frameRate
  const beyond = times.findIndex((seconds) => seconds > end + epsilonSeconds)
  if (beyond >= 0) return { beyond }
  return times.map((seconds) => ({
    seconds,
    frame: Math.min(frames - 1, Math.floor((seconds + epsilonSeconds) * frameRate)),
  }))
}

/** Returns `count` moments spread over the film, each where most of its part is to be seen. */
export function clearestMoments(timeline: Timeline, count: number): readonly Moment[] {
  const { frames, frameRate } = timeline
  const parts = frames <= count ? singleFrames(frames) : partsOf(timeline, count)
  return parts.map((part) => {
    const frame = clearestFrame(timeline, part)
    return { seconds: Math.round((frame / frameRate) * 100) / 100, frame }
  })
}

const singleFrames = (frames: number): FrameRange[] =>
  Array.from({ length: frames }, (_, start) => ({ start, frames: 1 }))

/** Divides the film into parts: every scene has one at least, if there are not too many. */
function partsOf({ scenes, frames, frameRate }: Timeline, count: number): FrameRange[] {
  if (scenes.length < 2 || scenes.length > count) return divided({ start: 0, frames }, count)
  const ranges = scenes.map(({ begin, end }) => {
    const start = Math.min(frames - 1, Math.round(begin * frameRate))
    return { start, frames: Math.max(1, Math.min(frames, Math.round(end * frameRate)) - start) }
  })
  const shares = ranges.map(() => 1)
  for (let left = count - ranges.length; left > 0; left -= 1) {
    const rest = ranges.map((range, i) => range.frames / (shares[i] ?? 1))
    const longest = rest.indexOf(Math.max(...rest))
    shares[longest] = (shares[longest] ?? 1) + 1
  }
  return ranges.flatMap((range, i) => divided(range, shares[i] ?? 1))
}

function divided({ start, frames }: FrameRange, count: number): FrameRange[] {
  const edge = (i: number) => start + Math.floor((frames * i) / count)
  return Array.from({ length: count }, (_, i) => ({
    start: edge(i),
    frames: Math.max(1, edge(i + 1) - edge(i)),
  }))
}

/** Places within a part that are looked at, the preferred ones first. */
const candidates = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1]

function clearestFrame(timeline: Timeline, { start, frames }: FrameRange): number {
  const last = timeline.frames - 1
  const looked = candidates.map((share) => Math.min(last, start + Math.floor(frames * share)))
  const seen = looked.map((frame) => seenAt(timeline, frame))
  return looked[seen.indexOf(Math.max(...seen))] ?? start
}

/** Counts the pictures of a frame. One that comes or goes counts little, by how much is there. */
function seenAt(timeline: Timeline, frame: number): number {
  const { commands } = describeFrame(timeline, frame)
  return commands.reduce((sum, command) => sum + weightOf(command), 0)
}

const movingWeight = 0.2

function weightOf(command: DrawCommand): number {
  switch (command.op) {
    case 'fill':
      return 0
    case 'picture':
      return command.opacity
    case 'transition': {
      const { from, to, progress } = command
      if (from.length > 0 && to.length > 0) return movingWeight
      return movingWeight * (to.length > 0 ? progress : 1 - progress)
    }
    default:
      return command satisfies never
  }
}

/**
 * Size of a frame on the sheet: `width` or the usual side. It has at most `side`, and `share` of the
 * film's width and height, so that a free preview never replaces a render.
 */
export function frameSize(
  film: Size,
  {
    width,
    usualSide,
    side,
    share,
  }: { width?: number | undefined; usualSide: number; side: number; share: number },
): Size {
  const longer = Math.max(film.width, film.height)
  const wanted = width === undefined ? usualSide / longer : width / film.width
  const scale = Math.min(wanted, side / longer, share)
  const scaled = (px: number) =>
    Math.max(1, Math.min(Math.round(px * scale), Math.floor(px * share)))
  return { width: scaled(film.width), height: scaled(film.height) }
}

/** Px between frames and around them, and the height of the line with the time. */
const gap = 4
const labelHeight = 20

export type SheetLayout = Size & {
  readonly columns: number
  readonly rows: number
  /** Top left corner of each frame. */
  readonly places: readonly { readonly x: number; readonly y: number }[]
  /** Height of the time under each frame; 0: none. */
  readonly labelHeight: number
}

/** Arranges frames in rows. A still stands alone, without a time. */
export function layOut(frame: Size, { count, hasTimes }: { count: number; hasTimes: boolean }) {
  const label = hasTimes ? labelHeight : 0
  const around = hasTimes ? gap : 0
  const cell = { width: frame.width + around, height: frame.height + label + around }
  const columns = bestColumns(cell, count)
  const rows = Math.ceil(count / columns)
  const layout: SheetLayout = {
    ...{ columns, rows, labelHeight: label },
    width: columns * cell.width + around,
    height: rows * cell.height + around,
    places: Array.from({ length: count }, (_, i) => ({
      x: around + (i % columns) * cell.width,
      y: around + Math.floor(i / columns) * cell.height,
    })),
  }
  return layout
}

/** Shape that a sheet should have, and the cost of an empty place in it. */
const wantedShape = 16 / 10
const emptyCost = 0.25

function bestColumns(cell: Size, count: number): number {
  const cost = (columns: number) => {
    const rows = Math.ceil(count / columns)
    const shape = (columns * cell.width) / (rows * cell.height)
    return Math.abs(Math.log(shape / wantedShape)) + emptyCost * (columns * rows - count)
  }
  const all = Array.from({ length: count }, (_, i) => i + 1)
  return all.toSorted((a, b) => cost(a) - cost(b))[0] ?? 1
}
