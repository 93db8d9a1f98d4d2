import type { DrawCommand } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import { nextChangeAfter } from '../timeline/next-change.ts'
import type { Timeline } from '../timeline/types.ts'
import type { EncoderSettings } from './plan.ts'

export type FrameRange = { readonly start: number; readonly frames: number }

/** A run: consecutive frames with one description, so a single picture. */
export type Run = FrameRange & {
  readonly commands: readonly DrawCommand[]
  /** The description as text: equal text, equal picture. */
  readonly text: string
}

/** Yields the frames of `range`, run by run. */
export function* runsOf(timeline: Timeline, range: FrameRange): Generator<Run> {
  const standsUntil = nextChangeAfter(timeline)
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

/** Returns the runs of `range`, cut off at its edges. `all` cover it, in order. */
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

/** Finds the run that shows frame `n`, by binary search. */
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
 * Frames of a run that are encoded when the rest of it is held (worker/still-frames/repeated-frames.ts). This is
 * two more than x264's lookahead at `veryfast`, so the first frame gets the quality of a lasting picture.
 */
const encodedFrames = 12
/** Shorter runs save less than the cost of the key frame that must follow them. */
const repeatedSecondsMin = 0.8

/** Returns how many frames of a run the encoder gets; the others are held in the bitstream. */
export function encodedFramesOf(
  { frames }: FrameRange,
  { frameRate, encoder }: { frameRate: number; encoder: EncoderSettings },
): number {
  const isRepeated =
    isRepeating(encoder) && frames >= Math.max(2 * encodedFrames, repeatedSecondsMin * frameRate)
  return isRepeated ? encodedFrames : frames
}

/** True where frames can be held in this encoder's output. */
export function isRepeating({ encoder }: Pick<EncoderSettings, 'encoder'>): boolean {
  return holdingEncoders.has(encoder)
}

/** NVENC's streams are untested; VP9 and MPEG-4 Part 2 hold frames in other ways. */
const holdingEncoders: ReadonlySet<string> = new Set(['libx264'])
