import { type Static, Type } from 'typebox'
import type { FrameDescription } from './timeline/draw.ts'

/**
 * A shard that is known: what a quarantined node must paint, encode and store before it gets work
 * again. Its frames are opaque rectangles on whole pixels, which every canvas paints alike, on the
 * CPU as on any GPU; so the hashes of their pixels are known once for all.
 */

/** Hardware encoders take no smaller pictures than about 150 px. */
const size = 256
const frames = 8

/** `encoder`: one that the node offers; absent for a node that encodes no pictures. */
export const CanarySpec = Type.Object({ encoder: Type.Optional(Type.String()) })
export type CanarySpec = Static<typeof CanarySpec>

/** `frames`: hex sha256 of each frame's RGBA, in order. */
export const CanaryResult = Type.Object({ frames: Type.Array(Type.String(), { maxItems: 64 }) })
export type CanaryResult = Static<typeof CanaryResult>

/** What is asked of the node, beside the kinds of tasks (tasks.ts). */
export const canaryKind = 'canary'
/** The object it writes and reads back. */
export const canaryObject = 'canary'

export const canaryFormat = { width: size, height: size, frameRate: 8 } as const

/** A square that walks over a ground which changes its colour. */
export function canaryFrames(): FrameDescription[] {
  return Array.from({ length: frames }, (_, n) => ({
    width: size,
    height: size,
    commands: [
      { op: 'fill', rect: [0, 0, size, size], color: grey(16 + 24 * n) },
      { op: 'fill', rect: [32 * n, 16 * n, 32, 32], color: '#e0401f' },
      { op: 'fill', rect: [224 - 32 * n, 160, 32, 64], color: '#1f60e0' },
    ],
  }))
}

function grey(level: number): string {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`
}

/** The same frames as bytes, worked out by the rule of `fill` alone. */
export function canaryPixels({ width, height, commands }: FrameDescription): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255)
  for (const command of commands) {
    if (command.op !== 'fill') continue
    const [left, top, wide, high] = command.rect
    const channels = [1, 3, 5].map((at) => Number.parseInt(command.color.slice(at, at + 2), 16))
    for (let y = top; y < top + high; y += 1) {
      for (let x = left; x < left + wide; x += 1) rgba.set(channels, (y * width + x) * 4)
    }
  }
  return rgba
}
