import { type DrawCommand, picturesOf } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import type { Timeline } from '../timeline/types.ts'
import { type FrameKind, frameKindOf } from './frame-kinds.ts'
import type { CanvasSettings, EncoderSettings, Plan } from './plan.ts'
import { type FrameRange, runsOf } from './runs.ts'

/**
 * A run of equal frames without its description: `digest` is of the description, `pixels` are its inputs.
 */
export type RunPrint = FrameRange & {
  readonly digest: string
  readonly pixels: ReadonlySet<string>
  readonly kind: FrameKind
}

/**
 * Yields all runs of the film. Each frame is described once; only a digest of its description is kept.
 */
export function* runPrints(
  timeline: Timeline,
  sha256: (text: string) => string,
): Generator<RunPrint> {
  const whole = { start: 0, frames: timeline.frames }
  for (const { start, frames, commands, text } of runsOf(timeline, whole)) {
    const print = { digest: sha256(text), pixels: digestsOf(commands) }
    yield { start, frames, ...print, kind: frameKindOf(commands, timeline) }
  }
}

/**
 * Text of everything that decides an encoded range's bytes: its frames' descriptions, the picture's
 * size, canvas and encoder, and the engine's version. Descriptions hold no film time, so the same
 * range elsewhere reads the same. Equal text, equal bytes.
 */
export function fingerprintText(
  timeline: Timeline,
  runs: readonly RunPrint[],
  { engine, encoder, canvas }: { engine: string; encoder: EncoderSettings; canvas: CanvasSettings },
): string {
  const { width, height, frameRate } = timeline
  const settings = JSON.stringify([engine, width, height, frameRate, encoder, canvas])
  return [settings, ...runs.map(({ digest, frames }) => `${digest} x${frames}`)].join('\n')
}

/** Same as `fingerprintText` for the film's encoded sound: its clips, their times and the encoder. */
export function soundText({ engine, audio, timeline, output }: Plan): string {
  const { frames, frameRate } = timeline
  const clips = audio.map(({ field: _, ...heard }) => heard)
  return JSON.stringify([engine, frames, frameRate, output.format, output.soundEncoder, clips])
}

/**
 * Same as `fingerprintText` for the finished file and its thumbnail: their parts, and how they are
 * joined.
 */
export function outputText(plan: Plan): string {
  const { engine, timeline, encoder, canvas, output, segments, audio } = plan
  const { width, height, frameRate, frames } = timeline
  const size = [width, height, frameRate, frames]
  const pictures =
    segments.length > 0
      ? segments.map(({ fingerprint }) => fingerprint)
      : describeFrame(timeline, 0).commands
  const sound = audio.length > 0 && soundText(plan)
  return JSON.stringify([engine, size, encoder, canvas, output, pictures, sound])
}

/** Digests of the pictures that one frame reads. */
export function framePixels(timeline: Timeline, n: number): string[] {
  return [...digestsOf(describeFrame(timeline, n).commands)].sort()
}

function digestsOf(commands: readonly DrawCommand[]): Set<string> {
  return new Set(picturesOf(commands).map(({ pixels }) => pixels.digest))
}
