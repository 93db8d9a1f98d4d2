import type { DrawCommand } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import { standingOf } from '../timeline/standing.ts'
import type { Timeline } from '../timeline/timeline.ts'
import type { EncoderSettings } from './plan.ts'

export type FrameRange = { readonly start: number; readonly frames: number }

/** Frames one after the other that have one description: one picture, however long it is seen. */
export type Run = FrameRange & {
  readonly commands: readonly DrawCommand[]
  /** The description as text: equal text, equal picture. */
  readonly text: string
}

/** The frames of `range`, run by run. */
export function* runsOf(timeline: Timeline, range: FrameRange): Generator<Run> {
  const standsUntil = standingOf(timeline)
  const end = range.start + range.frames
  let run: Run | undefined
  for (let n = range.start, next = n; n < end; n = next) {
    next = Math.min(end, standsUntil(n))
    const { commands } = describeFrame(timeline, n)
    const text = JSON.stringify(commands)
    if (run?.text === text) run = { ...run, frames: next - run.start }
    else {
      if (run) yield run
      run = { start: n, frames: next - n, commands, text }
    }
  }
  if (run) yield run
}

/** The runs of `range`, those at its edges cut off there. `all` cover it, in order. */
export function runsWithin<R extends FrameRange>(
  all: readonly R[],
  { start, frames }: FrameRange,
): R[] {
  const end = start + frames
  const first = firstAt(all, start)
  const runs: R[] = []
  for (let i = first; i < all.length; i += 1) {
    const run = all[i]
    if (!run || run.start >= end) break
    const from = Math.max(start, run.start)
    runs.push({ ...run, start: from, frames: Math.min(end, run.start + run.frames) - from })
  }
  return runs
}

/** The run that shows frame `n`, by halving. */
function firstAt(all: readonly FrameRange[], n: number): number {
  let [low, high] = [0, all.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((all[middle]?.start ?? 0) <= n) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Frames of a run that are encoded when the rest of it is held (worker/encode/held-frames.ts): two
 * more than x264 looks ahead at `veryfast`, so that it gives the first one the quality that it gives
 * any picture which stays.
 */
const encodedFrames = 12
/** Shorter runs save less than the key frame costs that must follow them. */
const heldSecondsMin = 0.8

/** How many frames of a run the encoder gets; the others are held in the bitstream. */
export function encodedFramesOf(
  { frames }: FrameRange,
  { frameRate, encoder }: { frameRate: number; encoder: EncoderSettings },
): number {
  const isHeld =
    isHolding(encoder) && frames >= Math.max(2 * encodedFrames, heldSecondsMin * frameRate)
  return isHeld ? encodedFrames : frames
}

/** Whether frames are held in what this encoder makes. */
export function isHolding({ encoder }: Pick<EncoderSettings, 'encoder'>): boolean {
  return holdingEncoders.has(encoder)
}

/** NVENC's streams have not been seen; VP9 and MPEG-4 Part 2 hold frames in ways of their own. */
const holdingEncoders: ReadonlySet<string> = new Set(['libx264'])
