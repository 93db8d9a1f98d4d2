import type { ClipFacts } from '../../core/timeline/facts.ts'
import { type ClipHeader, commonFactor, reduced } from './clip-probe.ts'

/**
 * Display times of a clip's frames, in ticks of its track, ascending, and the last frame's
 * duration; 0 = unknown.
 */
export type ClipTicks = { readonly shown: readonly number[]; readonly lastLength: number }

/**
 * Most distance of each frame from its slot at a constant rate, in frames: clocks of 1000 ticks a
 * second are off by 0.03 at 60 frames.
 */
const slackFrames = 0.2
/** Most seconds that a slot of a slow rate may lengthen the clip beyond its last frame. */
const slackSeconds = 0.1
/** ffmpeg's guess for tracks without a rate may be anything up to their clock's rate. */
const highestRate = 240
/** Rate for a clip without one: it finds a frame to the millisecond. */
const finestRate = 1000

/**
 * Returns the constant-rate sequence of a clip (core/queue/tasks.ts, MediaFacts): at its own rate if it
 * has one; else at the slowest rate with a slot for each frame's start.
 */
export function sequenceOf(
  ticks: ClipTicks,
  header: ClipHeader,
): Pick<ClipFacts, 'frameRate' | 'frames'> {
  const [over, under] =
    header.rates.find((rate) => isConstant(ticks, header, rate)) ?? finestOf(ticks, header)
  const frameRate: ClipFacts['frameRate'] = [over, under]
  const last = (ticks.shown.at(-1) ?? 0) + ticks.lastLength
  const frames = leadFrames(header, frameRate) + slotOf(last, header, frameRate)
  const lastSlot =
    leadFrames(header, frameRate) + slotOf(ticks.shown.at(-1) ?? 0, header, frameRate)
  return { frameRate, frames: Math.max(1, frames, lastSlot + 1) }
}

function isConstant(
  { shown, lastLength }: ClipTicks,
  header: ClipHeader,
  rate: readonly [number, number],
): boolean {
  if (rate[0] / rate[1] > highestRate) return false
  const lastSeconds = (lastLength * header.tick[0]) / header.tick[1]
  if (lastLength > 0 && rate[1] / rate[0] - lastSeconds > slackSeconds) return false
  let before = -1
  return shown.every((tick) => {
    const exact = exactSlot(tick, header, rate)
    const slot = Math.round(exact)
    const fits = slot > before && Math.abs(exact - slot) <= slackFrames
    before = slot
    return fits
  })
}

function finestOf({ shown, lastLength }: ClipTicks, header: ClipHeader): ClipFacts['frameRate'] {
  const [over, under] = header.tick
  const lengths = shown.map((tick) => tick - header.startTick)
  const step = [...lengths, lastLength].reduce((a, b) => commonFactor(Math.abs(b), a), 0)
  const rate = step > 0 ? reduced(under, over * step) : ([finestRate, 1] as const)
  return rate[0] / rate[1] > finestRate ? [finestRate, 1] : [...rate]
}

/** Returns the number of slots before the first frame's time, in which it is shown already. */
export function leadFrames({ lead }: ClipHeader, [over, under]: readonly [number, number]): number {
  return Math.round((lead * over) / under)
}

/**
 * Returns the slot of the sequence in which the frame of a tick begins, like the decoder's graph.
 */
export function slotOf(tick: number, header: ClipHeader, rate: readonly [number, number]): number {
  return Math.round(exactSlot(tick, header, rate))
}

export function exactSlot(
  tick: number,
  { tick: [a, b], startTick }: ClipHeader,
  rate: readonly [number, number],
) {
  return ((tick - startTick) * a * rate[0]) / (b * rate[1])
}
