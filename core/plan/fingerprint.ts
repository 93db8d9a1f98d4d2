import { engineVersion } from '../engine.ts'
import type { DrawCommand } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import type { Timeline } from '../timeline/timeline.ts'
import type { CanvasSettings, EncoderSettings } from './plan.ts'
import type { FrameRange } from './segments.ts'

/**
 * The text that names everything that decides an encoded range's bytes: its frames' descriptions
 * (which hold no film time, so the same range elsewhere reads the same), the picture's size, what
 * paints and encodes it, and engine version. Equal text, equal bytes. Runs of equal frames are
 * written once with a count.
 */
export function fingerprintText(
  timeline: Timeline,
  range: FrameRange,
  { encoder, canvas }: { encoder: EncoderSettings; canvas: CanvasSettings },
): { text: string; pixels: string[] } {
  const pixels = new Set<string>()
  const { width, height, frameRate } = timeline
  const lines = [JSON.stringify([engineVersion, width, height, frameRate, encoder, canvas])]
  let last = ''
  let repeats = 0
  for (let n = range.start; n < range.start + range.frames; n += 1) {
    const { commands } = describeFrame(timeline, n)
    collectPixels(commands, pixels)
    const line = JSON.stringify(commands)
    if (line === last) repeats += 1
    else {
      if (repeats > 0) lines.push(`x${repeats}`)
      lines.push(line)
      last = line
      repeats = 0
    }
  }
  lines.push(`x${repeats}`)
  return { text: lines.join('\n'), pixels: [...pixels].sort() }
}

function collectPixels(commands: readonly DrawCommand[], into: Set<string>): void {
  for (const command of commands) {
    switch (command.op) {
      case 'fill':
        break
      case 'picture':
        into.add(command.pixels.digest)
        break
      case 'transition':
        collectPixels(command.from, into)
        collectPixels(command.to, into)
        break
      default:
        command satisfies never
    }
  }
}

/** Digests of the pictures that one frame reads. */
export function framePixels(timeline: Timeline, n: number): string[] {
  const pixels = new Set<string>()
  collectPixels(describeFrame(timeline, n).commands, pixels)
  return [...pixels].sort()
}
