import type { Padding, Size } from '../../core/timeline/rect.ts'
import {
  type Blur,
  type Contrast,
  type Greys,
  type Move,
  type Near,
  nowhere,
  type PixelTransition,
  type Remap,
  type Through,
} from '../../core/timeline/transitions/kinds.ts'

/** Part of a picture, in px from the box's corner; may begin before it. */
export type Area = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/**
 * Premultiplied pixels of one part of both sides, rows top first. Each pixel is one number, red in
 * its lowest byte and alpha in its highest: at 720p reading them takes 4 ms, and single bytes 6 to
 * 7.
 */
export type Sides = { readonly area: Area; readonly from: Int32Array; readonly to: Int32Array }

/**
 * State of a transition. `size` is the box's; only `window`, a part of the sides' area, is
 * computed. `padding`: overflow around the box.
 */
export type Blend = {
  readonly size: Size
  readonly padding: Padding
  readonly window: Area
  readonly progress: number
}

const opaque = 255
/** Masks of two channels of a pixel at a time, each with room for a factor in 256ths. */
const evenChannels = 0xff00ff
const oddChannels = 0xff00ff00 | 0
/** Sums in 65536ths are truncated; this keeps whole numbers exact. */
const cutOff = 32

/** Returns the result of the transition: premultiplied pixels of the window. */
export function blendPixels(transition: PixelTransition, sides: Sides, blend: Blend): Int32Array {
  switch (transition.kind) {
    case 'remap':
      return blendMoved(transition, sides, blend)
    case 'blur':
      return blurMixed(transition, sides, blend)
    case 'through':
      return blendThrough(transition, sides, blend)
    case 'greys':
      return blendGreys(transition, sides, blend)
    case 'near':
      return blendNear(transition, sides, blend)
    case 'contrast':
      return blendByContrast(transition, sides, blend)
    default:
      return transition satisfies never
  }
}

/**
 * Returns the part of the sides on which `window` depends: larger than itself when pixels come from
 * elsewhere.
 */
export function areaBehind(
  transition: PixelTransition,
  { size, padding, window, progress }: Blend,
): Area {
  if (transition.kind === 'remap') {
    const { columns, rows } = transition.moves(size, progress, padding)
    const [left, width] = reachOf(columns, window.left, window.width)
    const [top, height] = reachOf(rows, window.top, window.height)
    return { left, top, width, height }
  }
  if (transition.kind === 'blur') {
    const width = window.width + transition.reach(size, progress) - 1
    return { ...window, width: Math.min(width, size.width + padding.right - window.left) }
  }
  return window
}

function reachOf(move: Move | undefined, start: number, length: number): [number, number] {
  let first = start
  let last = start + length - 1
  for (const at of move ? movesIn(move, start, length) : []) {
    if (at === nowhere) continue
    first = Math.min(first, at)
    last = Math.max(last, at)
  }
  return [first, last - first + 1]
}

function blendMoved(
  transition: Remap,
  { area, from, to }: Sides,
  { size, padding, window, progress }: Blend,
): Int32Array {
  const moves = transition.moves(size, progress, padding)
  const columns = movesIn(moves.columns, window.left, window.width)
  const rows = movesIn(moves.rows, window.top, window.height)
  const bothMove = transition.moved === 'both'
  const weightOfTo = Math.round(transition.weight(progress) * 256)
  const { width } = window
  const mixed = new Int32Array(width * window.height)
  for (let y = 0; y < window.height; y++) {
    const at = y * width
    const row = rows[y] as number
    if (bothMove && y > 0 && row === rows[y - 1]) {
      mixed.copyWithin(at, at - width, at)
      continue
    }
    const own = (window.top + y - area.top) * area.width + window.left - area.left
    if (row === nowhere) {
      mixed.set(to.subarray(own, own + width), at)
      continue
    }
    const moved = (row - area.top) * area.width - area.left
    for (let x = 0; x < width; x++) {
      const column = columns[x] as number
      const other = to[bothMove ? moved + column : own + x] as number
      mixed[at + x] =
        column === nowhere ? other : mix(from[moved + column] as number, other, weightOfTo)
    }
  }
  return mixed
}

/** Mixes two pixels by weights in 256ths, truncated like xfade's. */
function mix(from: number, to: number, weightOfTo: number): number {
  const weightOfFrom = 256 - weightOfTo
  const even =
    Math.imul(from & evenChannels, weightOfFrom) + Math.imul(to & evenChannels, weightOfTo)
  const odd =
    Math.imul((from >>> 8) & evenChannels, weightOfFrom) +
    Math.imul((to >>> 8) & evenChannels, weightOfTo)
  return ((even >>> 8) & evenChannels) | (odd & oddChannels)
}

function movesIn(move: Move | undefined, start: number, length: number): Int32Array {
  return Int32Array.from({ length }, (_, at) => (move ? move(start + at) : start + at))
}

/**
 * Blurs the mixed sides, which are already in `to`: the mean of mixtures is the mixture of the
 * means.
 */
function blurMixed(
  transition: Blur,
  { area, to }: Sides,
  { size, window, progress }: Blend,
): Int32Array {
  const reach = Math.min(area.width, transition.reach(size, progress))
  const shares = Float64Array.from({ length: reach + 1 }, (_, count) => 1 / count)
  const blurred = new Int32Array(window.width * window.height)
  for (let y = 0; y < window.height; y++) {
    const row = to.subarray(y * area.width, (y + 1) * area.width)
    const into = blurred.subarray(y * window.width, (y + 1) * window.width)
    blurRow(row, into, shares)
  }
  return blurred
}

/**
 * Blurs a row with one running sum per channel; `shares` are the weights of 0, 1, 2 .. pixels in
 * their mean.
 */
function blurRow(row: Int32Array, into: Int32Array, shares: Float64Array): void {
  const reach = shares.length - 1
  let red = 0
  let green = 0
  let blue = 0
  let alpha = 0
  for (let x = 0; x < reach; x++) {
    const pixel = row[x] as number
    red += pixel & 255
    green += (pixel >>> 8) & 255
    blue += (pixel >>> 16) & 255
    alpha += pixel >>> 24
  }
  for (let x = 0; x < into.length; x++) {
    const share = shares[Math.min(reach, row.length - x)] as number
    into[x] =
      (red * share) | ((green * share) << 8) | ((blue * share) << 16) | ((alpha * share) << 24)
    const gone = row[x] as number
    const next = x + reach < row.length ? (row[x + reach] as number) : 0
    red += (next & 255) - (gone & 255)
    green += ((next >>> 8) & 255) - ((gone >>> 8) & 255)
    blue += ((next >>> 16) & 255) - ((gone >>> 16) & 255)
    alpha += (next >>> 24) - (gone >>> 24)
  }
}

/**
 * Blends through a colour, by lookup tables for each side. Around the box that colour is
 * transparent.
 */
function blendThrough(
  transition: Through,
  { area, from, to }: Sides,
  { size, progress }: Blend,
): Int32Array {
  const weights = transition.weights(progress)
  const addedBy = (weight: number) =>
    Int32Array.from({ length: opaque + 1 }, (_, value) => Math.round(value * weight * 65536))
  const byFrom = addedBy(weights.from)
  const byTo = addedBy(weights.to)
  const between = Math.round(opaque * (1 - weights.from - weights.to) * 65536) + cutOff
  const isWhite = transition.through === '#ffffff'
  const mixed = new Int32Array(from.length)
  const [first, last] = [-area.left, size.width - area.left]
  for (let y = 0, at = 0; y < area.height; y++) {
    const isRowInside = area.top + y >= 0 && area.top + y < size.height
    for (let x = 0; x < area.width; x++, at++) {
      const rest = isRowInside && x >= first && x < last ? between : cutOff
      const colour = isWhite ? rest : cutOff
      const a = from[at] as number
      const b = to[at] as number
      const red = (byFrom[a & 255] as number) + (byTo[b & 255] as number) + colour
      const green = (byFrom[(a >>> 8) & 255] as number) + (byTo[(b >>> 8) & 255] as number) + colour
      const blue =
        (byFrom[(a >>> 16) & 255] as number) + (byTo[(b >>> 16) & 255] as number) + colour
      const alpha = (byFrom[a >>> 24] as number) + (byTo[b >>> 24] as number) + rest
      mixed[at] = pixelOf(red, green, blue, alpha)
    }
  }
  return mixed
}

/** Packs channels in 65536ths into a pixel. */
function pixelOf(red: number, green: number, blue: number, alpha: number): number {
  return (
    (red >>> 16) | ((green >>> 8) & 0xff00) | (blue & 0xff0000) | ((alpha << 8) & (opaque << 24))
  )
}

function blendGreys(transition: Greys, { from, to }: Sides, { progress }: Blend): Int32Array {
  const weights = transition.weights(progress)
  const inSteps = (weight: number) => Math.round(weight * 65536)
  const [kept, come] = [inSteps(weights.from), inSteps(weights.to)]
  const [greyOfFrom, greyOfTo] = [inSteps(weights.greyOfFrom), inSteps(weights.greyOfTo)]
  const mixed = new Int32Array(from.length)
  for (let at = 0; at < from.length; at++) {
    const a = from[at] as number
    const b = to[at] as number
    const grey = Math.imul(greyOf(a), greyOfFrom) + Math.imul(greyOf(b), greyOfTo) + cutOff
    const red = Math.imul(a & 255, kept) + Math.imul(b & 255, come)
    const green = Math.imul((a >>> 8) & 255, kept) + Math.imul((b >>> 8) & 255, come)
    const blue = Math.imul((a >>> 16) & 255, kept) + Math.imul((b >>> 16) & 255, come)
    const alpha = Math.imul(a >>> 24, kept + greyOfFrom) + Math.imul(b >>> 24, come + greyOfTo)
    mixed[at] = pixelOf(red + grey, green + grey, blue + grey, alpha + cutOff)
  }
  return mixed
}

/** Returns the mean of the colours, truncated. */
function greyOf(pixel: number): number {
  return (((pixel & 255) + ((pixel >>> 8) & 255) + ((pixel >>> 16) & 255)) / 3) | 0
}

function blendNear(transition: Near, { from, to }: Sides, { progress }: Blend): Int32Array {
  const limit = (transition.distance(progress) * opaque) ** 2
  const weightOfTo = Math.round(progress * 256)
  const mixed = new Int32Array(to)
  for (let at = 0; at < from.length; at++) {
    const a = from[at] as number
    const b = to[at] as number
    const red = (a & 255) - (b & 255)
    const green = ((a >>> 8) & 255) - ((b >>> 8) & 255)
    const blue = ((a >>> 16) & 255) - ((b >>> 16) & 255)
    const alpha = (a >>> 24) - (b >>> 24)
    if (red * red + green * green + blue * blue + alpha * alpha > limit) continue
    mixed[at] = mix(a, b, weightOfTo)
  }
  return mixed
}

/**
 * Blends by contrast. The sides differ by one of 511 amounts per channel: the addition for each is
 * precomputed.
 */
function blendByContrast(
  transition: Contrast,
  { from, to }: Sides,
  { progress }: Blend,
): Int32Array {
  const added = Int32Array.from({ length: 2 * opaque + 1 }, (_, at) => {
    const difference = at - opaque
    const weight = transition.weight(progress, Math.abs(difference) / opaque)
    return Math.floor(difference * weight)
  })
  const mixed = new Int32Array(from.length)
  for (let at = 0; at < from.length; at++) {
    const a = from[at] as number
    const b = to[at] as number
    const [red, green, blue, alpha] = [b & 255, (b >>> 8) & 255, (b >>> 16) & 255, b >>> 24]
    mixed[at] =
      (red + (added[(a & 255) - red + opaque] as number)) |
      ((green + (added[((a >>> 8) & 255) - green + opaque] as number)) << 8) |
      ((blue + (added[((a >>> 16) & 255) - blue + opaque] as number)) << 16) |
      ((alpha + (added[(a >>> 24) - alpha + opaque] as number)) << 24)
  }
  return mixed
}

/**
 * Straight values by alpha (higher byte) and premultiplied value (lower). Mixing channel by channel
 * may leave a colour a step brighter than its alpha, which is clamped.
 */
const straightValues = Uint8Array.from({ length: 65536 }, (_, at) => {
  const alpha = at >>> 8
  return alpha === 0 ? 0 : Math.min(opaque, Math.round(((at & 255) * opaque) / alpha))
})

/** Converts premultiplied pixels to straight alpha in place. */
export function straighten(pixels: Int32Array): Int32Array {
  for (let at = 0; at < pixels.length; at++) {
    const pixel = pixels[at] as number
    const alpha = pixel & (opaque << 24)
    if (alpha === opaque << 24 || alpha === 0) continue
    const row = (pixel >>> 16) & 0xff00
    pixels[at] =
      (straightValues[row | (pixel & 255)] as number) |
      ((straightValues[row | ((pixel >>> 8) & 255)] as number) << 8) |
      ((straightValues[row | ((pixel >>> 16) & 255)] as number) << 16) |
      alpha
  }
  return pixels
}
