import {
  type ClipPixels,
  type DrawCommand,
  hasClip,
  type PictureCommand,
} from '../timeline/draw.ts'
import type { Rect, Size } from '../timeline/rect.ts'
import { areaOf } from './area.ts'
import type { Run } from './runs.ts'

/**
 * Frames with a clip at the bottom that covers the canvas, cropped and scaled at most. Only the layers above
 * it need painting.
 */
export type OverClip = {
  /** Clip at the first frame. */
  readonly pixels: ClipPixels
  /** Part of the clip, at `pixels.size`, that fills the canvas: the whole, or a part with even edges. */
  readonly source: Rect
  /** Clip frame of each frame; it never goes back. */
  readonly frames: readonly number[]
  /** Layers above from frame `at` on (0 = the first). The first entry is at 0. */
  readonly above: readonly { readonly at: number; readonly commands: readonly DrawCommand[] }[]
  /** Area that all of `above` paints, even edges; absent = nothing is above. */
  readonly area?: Rect
}

/**
 * Returns undefined when some frame of the runs must be painted whole. Other clips above are
 * painted, too.
 */
export function overClip(runs: readonly Run[], canvas: Size): OverClip | undefined {
  const frames: number[] = []
  const above: { at: number; commands: readonly DrawCommand[] }[] = []
  let first: PictureCommand | undefined
  let last = ''
  for (const { commands, frames: count } of runs) {
    const found = clipAtBottom(commands, canvas)
    if (!found) return undefined
    first ??= found.bottom
    if (nameOf(found.bottom) !== nameOf(first)) return undefined
    const { frame } = found.pixels
    if (frame < (frames.at(-1) ?? 0)) return undefined
    const text = JSON.stringify(found.above)
    if (text !== last) above.push({ at: frames.length, commands: found.above })
    last = text
    for (let i = 0; i < count; i += 1) frames.push(frame)
  }
  if (first?.pixels.kind !== 'clip') return undefined
  const area = areaOf(
    above.flatMap(({ commands }) => commands),
    canvas,
  )
  const { pixels, source } = first
  return { pixels, source, frames, above, ...(area && { area }) }
}

/** Names the clip and its part below a frame that can be one of `overClip`; undefined: it cannot. */
export function bottomClipName(commands: readonly DrawCommand[], canvas: Size): string | undefined {
  const found = clipAtBottom(commands, canvas)
  return found && nameOf(found.bottom)
}

type BottomClip = {
  readonly bottom: PictureCommand
  readonly pixels: ClipPixels
  readonly above: readonly DrawCommand[]
}

function clipAtBottom(commands: readonly DrawCommand[], canvas: Size): BottomClip | undefined {
  if (canvas.width % 2 === 1 || canvas.height % 2 === 1) return undefined
  const at = commands.findIndex(({ op }) => op !== 'fill')
  const bottom = commands[at]
  if (bottom?.op !== 'picture' || bottom.pixels.kind !== 'clip') return undefined
  const above = commands.slice(at + 1)
  if (!fillsAsItIs(bottom, canvas) || hasClip(above)) return undefined
  return { bottom, pixels: bottom.pixels, above }
}

const identity = '1,0,0,1,0,0'

function fillsAsItIs(command: PictureCommand, { width, height }: Size): boolean {
  const { pixels, source, dest, clip, matrix, opacity, filter } = command
  if (pixels.kind !== 'clip' || pixels.key || clip || filter || opacity < 1) return false
  if (String(matrix) !== identity || String(dest) !== `0,0,${width},${height}`) return false
  if (String(source) === `0,0,${pixels.size}`) return true
  return source.every((px) => px % 2 === 0)
}

const nameOf = ({ pixels, source }: PictureCommand) =>
  JSON.stringify([{ ...pixels, frame: 0 }, source])
