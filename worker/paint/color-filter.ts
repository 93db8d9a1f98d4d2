/**
 * Applies colour filters by plain arithmetic on bytes, as canvas filters differ between backends
 * and versions. Factors have the meaning of the CSS filter functions of the same name
 * (filter-effects-1, sRGB).
 */

import type { ColorFilter } from '../../core/timeline/draw.ts'

/** Picture in work: RGBA bytes, rows top first. */
type PixelBlock = {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Standard deviations in px of the block, for each axis. */
export type BlurSigma = { readonly x: number; readonly y: number }

type Table = Uint8ClampedArray
type ColorMatrix = readonly [number, number, number, number, number, number, number, number, number]

/**
 * Takes premultiplied pixels and returns straight ones, from which bitmaps are made. The order is
 * brightness, contrast, saturate, hue, blur, invert, tint; alpha changes only by the blur.
 */
export function applyFilter(block: PixelBlock, filter: ColorFilter, sigma: BlurSigma): PixelBlock {
  const { width, height } = block
  const straight = divideByAlpha(block.rgba)
  throughTables(straight, [toneTable(filter), toneTable(filter), toneTable(filter)])
  if (filter.saturate !== undefined) throughMatrix(straight, saturateMatrix(filter.saturate))
  if (filter.hue !== undefined) throughMatrix(straight, hueMatrix(filter.hue))
  const blurred = filter.blur ? blur({ width, height, rgba: straight }, sigma) : straight
  const [red, green, blue] = filter.tint ?? [1, 1, 1]
  const invert = filter.invert ?? 0
  throughTables(blurred, [endTable(invert, red), endTable(invert, green), endTable(invert, blue)])
  return { width, height, rgba: blurred }
}

function toneTable({ brightness = 1, contrast = 1 }: ColorFilter): Table {
  return table((value) => {
    const lit = Math.min(255, Math.max(0, value * brightness))
    return (lit - 127.5) * contrast + 127.5
  })
}

function endTable(invert: number, tint: number): Table {
  return table((value) => (value * (1 - invert) + (255 - value) * invert) * tint)
}

function table(of: (value: number) => number): Table {
  return Uint8ClampedArray.from({ length: 256 }, (_, value) => of(value))
}

function throughTables(rgba: Uint8Array, [red, green, blue]: readonly [Table, Table, Table]): void {
  for (let at = 0; at < rgba.length; at += 4) {
    rgba[at] = red[rgba[at] as number] as number
    rgba[at + 1] = green[rgba[at + 1] as number] as number
    rgba[at + 2] = blue[rgba[at + 2] as number] as number
  }
}

// Luminance weights of filter-effects-1, section 8.
const lumaRed = 0.213
const lumaGreen = 0.715
const lumaBlue = 0.072

function saturateMatrix(factor: number): ColorMatrix {
  const red = lumaRed * (1 - factor)
  const green = lumaGreen * (1 - factor)
  const blue = lumaBlue * (1 - factor)
  return [red + factor, green, blue, red, green + factor, blue, red, green, blue + factor]
}

function hueMatrix(degrees: number): ColorMatrix {
  const cos = Math.cos((degrees * Math.PI) / 180)
  const sin = Math.sin((degrees * Math.PI) / 180)
  return [
    lumaRed + cos * (1 - lumaRed) - sin * lumaRed,
    lumaGreen - cos * lumaGreen - sin * lumaGreen,
    lumaBlue - cos * lumaBlue + sin * (1 - lumaBlue),
    lumaRed - cos * lumaRed + sin * 0.143,
    lumaGreen + cos * (1 - lumaGreen) + sin * 0.14,
    lumaBlue - cos * lumaBlue - sin * 0.283,
    lumaRed - cos * lumaRed - sin * (1 - lumaRed),
    lumaGreen - cos * lumaGreen + sin * lumaGreen,
    lumaBlue + cos * (1 - lumaBlue) + sin * lumaBlue,
  ]
}

function throughMatrix(rgba: Uint8Array, matrix: ColorMatrix): void {
  const [rr, rg, rb, gr, gg, gb, br, bg, bb] = matrix
  for (let at = 0; at < rgba.length; at += 4) {
    const red = rgba[at] as number
    const green = rgba[at + 1] as number
    const blue = rgba[at + 2] as number
    rgba[at] = toByte(rr * red + rg * green + rb * blue)
    rgba[at + 1] = toByte(gr * red + gg * green + gb * blue)
    rgba[at + 2] = toByte(br * red + bg * green + bb * blue)
  }
}

function toByte(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value)
}

/**
 * Blurs along both axes with a Gaussian, edges continued outwards: an opaque picture stays opaque.
 */
function blur({ width, height, rgba }: PixelBlock, sigma: BlurSigma): Uint8Array {
  const across = new Float32Array(rgba.length)
  const premultiplied = multiplyByAlpha(rgba)
  blurLines(premultiplied, across, kernel(sigma.x), {
    count: height,
    length: width,
    pixel: 4,
    line: width * 4,
  })
  blurLines(across, premultiplied, kernel(sigma.y), {
    count: width,
    length: height,
    pixel: width * 4,
    line: 4,
  })
  return toStraightBytes(premultiplied)
}

/** Returns the weights from the middle outwards; the whole kernel sums to 1. */
function kernel(sigma: number): Float32Array {
  const radius = Math.ceil(sigma * 3)
  const weights = Float32Array.from({ length: radius + 1 }, (_, at) =>
    sigma > 0 ? Math.exp(-(at * at) / (2 * sigma * sigma)) : 1,
  )
  const sum = weights.reduce((total, weight, at) => total + (at === 0 ? weight : 2 * weight), 0)
  return weights.map((weight) => weight / sum)
}

/**
 * Lines of an array: `count` lines of `length` pixels; `pixel` and `line` are the steps between
 * them.
 */
type Lines = {
  readonly count: number
  readonly length: number
  readonly pixel: number
  readonly line: number
}

function blurLines(
  source: Float32Array,
  target: Float32Array,
  weights: Float32Array,
  lines: Lines,
): void {
  const { count, length, pixel, line } = lines
  const last = length - 1
  for (let row = 0; row < count; row++) {
    for (let at = 0; at < length; at++) {
      const out = row * line + at * pixel
      for (let channel = 0; channel < 4; channel++) {
        const start = row * line + channel
        let sum = (source[start + at * pixel] as number) * (weights[0] as number)
        for (let k = 1; k < weights.length; k++) {
          const before = at < k ? 0 : at - k
          const after = Math.min(at + k, last)
          sum +=
            ((source[start + before * pixel] as number) +
              (source[start + after * pixel] as number)) *
            (weights[k] as number)
        }
        target[out + channel] = sum
      }
    }
  }
}

function divideByAlpha(premultiplied: Uint8Array): Uint8Array {
  const straight = new Uint8Array(premultiplied)
  for (let at = 0; at < straight.length; at += 4) {
    const alpha = straight[at + 3] as number
    if (alpha === 0 || alpha === 255) continue
    for (let channel = at; channel < at + 3; channel++) {
      straight[channel] = toByte(((straight[channel] as number) * 255) / alpha)
    }
  }
  return straight
}

function multiplyByAlpha(straight: Uint8Array): Float32Array {
  const premultiplied = Float32Array.from(straight)
  for (let at = 0; at < premultiplied.length; at += 4) {
    const alpha = (premultiplied[at + 3] as number) / 255
    for (let channel = at; channel < at + 3; channel++) {
      premultiplied[channel] = (premultiplied[channel] as number) * alpha
    }
  }
  return premultiplied
}

function toStraightBytes(premultiplied: Float32Array): Uint8Array {
  const straight = new Uint8Array(premultiplied.length)
  for (let at = 0; at < straight.length; at += 4) {
    const alpha = premultiplied[at + 3] as number
    straight[at + 3] = toByte(alpha)
    if (alpha === 0) continue
    for (let channel = at; channel < at + 3; channel++) {
      straight[channel] = toByte(((premultiplied[channel] as number) * 255) / alpha)
    }
  }
  return straight
}
