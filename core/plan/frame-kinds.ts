import type { DrawCommand } from '../timeline/draw.ts'
import type { Size } from '../timeline/rect.ts'
import { bottomClipName } from './bottom-clip.ts'
import { isComposable } from './layers.ts'
import type { FrameRange } from './runs.ts'

/**
 * Names the cheapest source of whole frames (worker/frames/sources.ts) that can make a frame: `over-clip` and
 * its clip, `composed`, or `painter`. A segment is made by one source, so one frame of the painter has
 * all of its segment painted.
 */
export type FrameKind = string

const composed = 'composed'
const painter = 'painter'

export function frameKindOf(commands: readonly DrawCommand[], canvas: Size): FrameKind {
  const clip = bottomClipName(commands, canvas)
  if (clip !== undefined) return `over-clip ${clip}`
  return isComposable(commands, canvas) ? composed : painter
}

/** Frames with one kind. */
export type KindRange = FrameRange & { readonly kind: FrameKind }

/**
 * Fewest frames that pay for the two cuts around them. A cut costs a file and an encoder's start, 0.08 s of a
 * core. A frame that stays in the decoder saves 10 to 15 ms at 720p, and one that is composed about 5.
 */
const leastOf = (kind: FrameKind) => (kind === composed ? 30 : 12)

/**
 * Cuts where the kind changes; `runs` follow each other. Ranges that are too short are painted, and the painter's
 * are lengthened at the cost of a neighbour.
 */
export function kindRanges(runs: readonly KindRange[]): FrameRange[] {
  const ranges = merged(runs).map((range) => {
    return range.frames < leastOf(range.kind) ? { ...range, kind: painter } : range
  })
  const wide = merged(ranges)
  for (const at of wide.keys()) lengthen(wide, at)
  return merged(wide).map(({ start, frames }) => ({ start, frames }))
}

type Growing = { start: number; frames: number; kind: FrameKind }

function merged(ranges: readonly KindRange[]): Growing[] {
  const all: Growing[] = []
  for (const { start, frames, kind } of ranges) {
    const last = all.at(-1)
    if (last?.kind === kind) last.frames += frames
    else all.push({ start, frames, kind })
  }
  return all
}

/** Lengthens a short range of the painter by frames of the next one, or else of the one before. */
function lengthen(ranges: Growing[], at: number): void {
  const range = ranges[at]
  if (range?.kind !== painter) return
  const missing = leastOf(painter) - range.frames
  if (missing <= 0) return
  const [before, next] = [ranges[at - 1], ranges[at + 1]]
  const canGive = (from?: Growing) => from && from.frames - missing >= leastOf(from.kind)
  if (next && canGive(next)) {
    next.start += missing
    next.frames -= missing
  } else if (before && canGive(before)) {
    before.frames -= missing
    range.start -= missing
  } else {
    const neighbour = next ?? before
    if (neighbour) neighbour.kind = painter
    return
  }
  range.frames += missing
}
