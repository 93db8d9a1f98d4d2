/**
 * A frame is a frozen, ordered list of draw commands. Painting it needs no other knowledge: frame n
 * is the same picture on any shard, node or attempt, and two equal lists are the same picture.
 *
 * Units: canvas pixels, origin top-left, sRGB. Angles never appear here: they are in the matrix.
 */

import type { Padding, Rect } from './rect.ts'

/** Canvas 2D matrix: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Corner radii in px: top-left, top-right, bottom-right, bottom-left. */
export type Radii = readonly [tl: number, tr: number, br: number, bl: number]

/**
 * Pixels by content: the digest is the sha256 of the stored bytes. `key` and `room` are applied to
 * the decoded pixels first.
 */
export type Pixels = StillPixels | ClipPixels

/**
 * `media` is a customer's picture (decoded upright, sRGB, straight or no alpha); `bake` is a PNG
 * with alpha, painted by Chromium.
 */
export type StillPixels = {
  readonly kind: 'media' | 'bake'
  readonly digest: string
  /** Range of the picture in the stored bytes; absent = all. */
  readonly slice?: readonly [offset: number, bytes: number]
  readonly key?: ColorKey
  readonly room?: Padding
}

/**
 * A customer's clip at `frame` of its constant-rate sequence: the picture `frame` / `frameRate`
 * seconds (a fraction) after the file starts. Decoded like a picture; HDR is tone-mapped.
 */
export type ClipPixels = {
  readonly kind: 'clip'
  readonly digest: string
  readonly frame: number
  readonly frameRate: readonly [number, number]
  /** Width and height that the whole frame is scaled to, px, before anything else. */
  readonly size: readonly [number, number]
  readonly key?: ColorKey
}

/**
 * Colours that become transparent: fully if nearer to `color` (`#rrggbb`) than `similarity`, partly
 * up to `blend` beyond that. Distances are Euclidean in RGB, 1 = from black to white, as in
 * ffmpeg's `colorkey`.
 */
export type ColorKey = {
  readonly color: string
  readonly similarity: number
  readonly blend: number
}

/** Names pixels: equal pixels get equal names, fit for a file's name. */
export function pixelsName(pixels: Pixels): string {
  const { kind, digest, key } = pixels
  const room = pixels.kind === 'clip' ? undefined : pixels.room
  const moment =
    pixels.kind === 'clip'
      ? [`${pixels.frameRate.join('-')}-${pixels.frame}`, pixels.size.join('x')]
      : []
  const keyed = key ? [`key-${key.color.slice(1)}-${key.similarity}-${key.blend}`] : []
  const part = pixels.kind !== 'clip' && pixels.slice ? [`slice-${pixels.slice.join('-')}`] : []
  const roomy = room ? [`room-${room.left}-${room.top}-${room.right}-${room.bottom}`] : []
  return [kind, digest, ...moment, ...part, ...keyed, ...roomy].join('.')
}

/**
 * Colour adjustments of source pixels, in the order of the fields (open-parts.md, Filters).
 * `brightness`, `contrast`, `saturate`: factors, 1 = unchanged. `hue`: degrees. `blur`: radius
 * (standard deviation) in px of the destination. `invert`: 0..1. `tint`: channel factors 0..1.
 * Alpha is never touched, except by blur. Fields at their neutral value are absent.
 */
export type ColorFilter = {
  readonly brightness?: number
  readonly contrast?: number
  readonly saturate?: number
  readonly hue?: number
  readonly blur?: number
  readonly invert?: number
  readonly tint?: readonly [r: number, g: number, b: number]
}

/** Paint the whole of `rect` with one opaque colour `#rrggbb`. */
export type FillCommand = { readonly op: 'fill'; readonly rect: Rect; readonly color: string }

/**
 * Draw `source` (px of the picture) into `dest` (px before `matrix`), clipped to `clip` with
 * rounded corners when given, then through `matrix`, at `opacity`.
 */
export type PictureCommand = {
  readonly op: 'picture'
  readonly pixels: Pixels
  readonly source: Rect
  readonly dest: Rect
  readonly clip?: { readonly rect: Rect; readonly radii: Radii }
  readonly matrix: Matrix
  readonly opacity: number
  readonly filter?: ColorFilter
}

/**
 * Paints ffmpeg's `xfade` of this name at `progress` (0 = only `from`, 1 = only `to`) over the
 * integer-edged `box`. Both sides are in canvas coordinates and clipped to the box; an empty side is
 * transparent (an element's enter has `from: []`, its exit `to: []`). Blending is premultiplied, and
 * the result is drawn over the commands below. `around`: a larger integer-edged rectangle to clip to
 * instead, absent = the box. Parts outside of the box move and open with it (decision 0080).
 */
export type TransitionCommand = {
  readonly op: 'transition'
  readonly name: string
  readonly progress: number
  readonly box: Rect
  readonly around?: Rect
  readonly from: readonly DrawCommand[]
  readonly to: readonly DrawCommand[]
}

export type DrawCommand = FillCommand | PictureCommand | TransitionCommand

/** One frame: `width` x `height` px, commands bottom first. The first command fills the canvas, except on a transparent still. */
export type FrameDescription = {
  readonly width: number
  readonly height: number
  readonly commands: readonly DrawCommand[]
}

/** Lists the pictures that the commands draw, those within transitions too, bottom first. */
export function picturesOf(
  commands: readonly DrawCommand[],
  found: PictureCommand[] = [],
): PictureCommand[] {
  for (const command of commands) {
    switch (command.op) {
      case 'fill':
        break
      case 'picture':
        found.push(command)
        break
      case 'transition':
        picturesOf(command.from, found)
        picturesOf(command.to, found)
        break
      default:
        command satisfies never
    }
  }
  return found
}

/** True where any command shows a clip. */
export function hasClip(commands: readonly DrawCommand[]): boolean {
  return picturesOf(commands).some(({ pixels }) => pixels.kind === 'clip')
}
