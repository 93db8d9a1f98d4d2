// Composes pictures over a frame, all of them planar YUV 4:2:0. AssemblyScript, not TypeScript:
// `npm run paint:layers` compiles it to ../layers.wasm, which is committed with it.
//
// It uses whole numbers only, so that every processor gives the same bytes. Rows of a plane are a
// multiple of sixteen long.

import { dot4, squares } from '../../../encode/yuv/assembly/sums'

export { convertRows } from '../../../encode/yuv/assembly/convert'

// Weights of two neighbours are 128ths.
const weightBits: i32 = 7
const wholeWeight: i16 = 128
const halfWeight: i16 = 64

// Returns t / 255 for sixteen-bit t, to the nearest.
@inline
function over255(t: v128): v128 {
  const rounded = i16x8.add(t, i16x8.splat(128))
  return i16x8.shr_u(i16x8.add(rounded, i16x8.shr_u(rounded, 8)), 8)
}

// Mixes eight values: a * (255 - weight) + b * weight.
@inline
function mixed(a: v128, b: v128, rest: v128, weight: v128): v128 {
  return over255(i16x8.add(i16x8.mul(a, rest), i16x8.mul(b, weight)))
}

// Mixes sixteen samples of `above` into those of `under`.
@inline
function mixed16(under: v128, above: v128, rest: v128, weight: v128): v128 {
  return i8x16.narrow_i16x8_u(
    mixed(i16x8.extend_low_i8x16_u(under), i16x8.extend_low_i8x16_u(above), rest, weight),
    mixed(i16x8.extend_high_i8x16_u(under), i16x8.extend_high_i8x16_u(above), rest, weight),
  )
}

// Interpolates eight values: (a * first + b * second) / 128, to the nearest.
@inline
function between8(a: v128, b: v128, first: v128, second: v128): v128 {
  const sum = i16x8.add(i16x8.mul(a, first), i16x8.mul(b, second))
  return i16x8.shr_u(i16x8.add(sum, i16x8.splat(halfWeight)), weightBits)
}

// Interpolates `bytes` of a row between two rows; up to fifteen more are read and written.
@inline
function blendRows(top: usize, bottom: usize, first: v128, second: v128, bytes: usize, to: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    const a = v128.load(top + at)
    const b = v128.load(bottom + at)
    const low = between8(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b), first, second)
    const high = between8(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b), first, second)
    v128.store(to + at, i8x16.narrow_i16x8_u(low, high))
  }
}

// Picks sixteen bytes of the 32 from `at` on, by their places.
@inline
function picked(at: usize, places: v128, placesOfSecond: v128): v128 {
  return v128.or(
    i8x16.swizzle(v128.load(at), places),
    i8x16.swizzle(v128.load(at, 16), placesOfSecond),
  )
}

// Interpolates sixteen samples between neighbours of a row. `block`: entry of the table of columns,
// see `scale`.
@inline
function between16(row: usize, block: usize): v128 {
  const at = row + <usize>load<u32>(block)
  const places = v128.load(block, 16)
  const placesOfSecond = i8x16.sub(places, i8x16.splat(16))
  const left = picked(at, places, placesOfSecond)
  const right = picked(at + 1, places, placesOfSecond)
  const second = v128.load(block, 32)
  const secondLow = i16x8.extend_low_i8x16_u(second)
  const secondHigh = i16x8.extend_high_i8x16_u(second)
  const all = i16x8.splat(wholeWeight)
  return i8x16.narrow_i16x8_u(
    between8(
      i16x8.extend_low_i8x16_u(left),
      i16x8.extend_low_i8x16_u(right),
      i16x8.sub(all, secondLow),
      secondLow,
    ),
    between8(
      i16x8.extend_high_i8x16_u(left),
      i16x8.extend_high_i8x16_u(right),
      i16x8.sub(all, secondHigh),
      secondHigh,
    ),
  )
}

/**
 * Scales a plane onto a plane of a frame, with `weight` of 255. `from`: its first used sample; its
 * rows are `stride` apart, and `bytes` of each are used.
 *
 * `rows`: for each row of the frame the offset of the first of two neighbours (32 bits) and the
 * weight of the second (32 bits, 128ths).
 *
 * `columns`: three entries for each sixteen samples of a row.
 * - The offset of the first one's first neighbour (32 bits and 12 bytes of padding).
 * - The others' distances from it (16 bytes, below 32).
 * - The weights of the second neighbours (16 bytes).
 *
 * `spare`: room for a row of the picture and 64 bytes more.
 */
export function scale(
  from: usize,
  stride: usize,
  bytes: usize,
  columns: usize,
  rows: usize,
  width: usize,
  height: usize,
  to: usize,
  weight: i32,
  spare: usize,
): void {
  const above = i16x8.splat(<i16>weight)
  const rest = i16x8.splat(<i16>(255 - weight))
  const blocks = width >> 4
  let out = to
  for (let y: usize = 0; y < height; y += 1) {
    const row = rows + y * 8
    const top = from + <usize>load<u32>(row)
    const second = load<i32>(row, 4)
    const firstWeight = i16x8.splat(<i16>(128 - second))
    blendRows(top, top + stride, firstWeight, i16x8.splat(<i16>second), bytes, spare)
    let block = columns
    for (let i: usize = 0; i < blocks; i += 1) {
      const samples = between16(spare, block)
      if (weight == 255) v128.store(out, samples)
      else v128.store(out, mixed16(v128.load(out), samples, rest, above))
      block += 48
      out += 16
    }
  }
}

// Constants for premultiplied pixels: 16/255 and 128/255 as 15-bit fractions. Offsets are
// multiplied by alpha too, so that black and grey count by their coverage.
const yAlpha: i16 = 2056
const cAlpha: i16 = 16448
const half15: i32 = 1 << 14
const half17: i32 = 1 << 16

@inline
function lumaOf4(px: v128): v128 {
  const k = i16x8(5983, 20127, 2032, yAlpha, 5983, 20127, 2032, yAlpha)
  const sum = dot4(i16x8.extend_low_i8x16_u(px), i16x8.extend_high_i8x16_u(px), k)
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(half15)), 15)
}

@inline
function lumaOf16(from: usize): v128 {
  const a = i16x8.narrow_i32x4_s(lumaOf4(v128.load(from)), lumaOf4(v128.load(from, 16)))
  const b = i16x8.narrow_i32x4_s(lumaOf4(v128.load(from, 32)), lumaOf4(v128.load(from, 48)))
  return i8x16.narrow_i16x8_u(a, b)
}

@inline
function alphaOf16(from: usize): v128 {
  const a = i16x8.narrow_i32x4_s(
    i32x4.shr_u(v128.load(from), 24),
    i32x4.shr_u(v128.load(from, 16), 24),
  )
  const b = i16x8.narrow_i32x4_s(
    i32x4.shr_u(v128.load(from, 32), 24),
    i32x4.shr_u(v128.load(from, 48), 24),
  )
  return i8x16.narrow_i16x8_u(a, b)
}

// Converts the sums of four squares to chroma, two by two.
@inline
function chromaOf4(a: v128, b: v128, k: v128): v128 {
  return i32x4.shr_s(i32x4.add(dot4(a, b, k), i32x4.splat(half17)), 17)
}

@inline
function store8(to: usize, low: v128, high: v128): void {
  const words = i16x8.narrow_i32x4_s(low, high)
  v128.store64_lane(to, i8x16.narrow_i16x8_u(words, words), 0)
}

/**
 * Splits premultiplied RGBA into consecutive planes: Y, U, V, each times its alpha, the alpha of
 * every pixel and that of every square. Width a multiple of 32, height even.
 */
export function separate(from: usize, width: usize, height: usize, to: usize): void {
  const us = to + width * height
  const vs = us + ((width * height) >> 2)
  const alphas = vs + ((width * height) >> 2)
  const squareAlphas = alphas + width * height
  const ku = i16x8(-3298, -11094, 14392, cAlpha, -3298, -11094, 14392, cAlpha)
  const kv = i16x8(14392, -13072, -1320, cAlpha, 14392, -13072, -1320, cAlpha)
  // One quarter as a 17-bit fraction.
  const ka = i16x8(0, 0, 0, 32767, 0, 0, 0, 32767)
  for (let y: usize = 0; y < height; y += 2) {
    for (let x: usize = 0; x < width; x += 16) {
      const top = from + (y * width + x) * 4
      const bottom = top + width * 4
      const at = y * width + x
      v128.store(to + at, lumaOf16(top))
      v128.store(to + at + width, lumaOf16(bottom))
      v128.store(alphas + at, alphaOf16(top))
      v128.store(alphas + at + width, alphaOf16(bottom))
      const a = squares(v128.load(top), v128.load(bottom))
      const b = squares(v128.load(top, 16), v128.load(bottom, 16))
      const c = squares(v128.load(top, 32), v128.load(bottom, 32))
      const d = squares(v128.load(top, 48), v128.load(bottom, 48))
      const square = (y >> 1) * (width >> 1) + (x >> 1)
      store8(us + square, chromaOf4(a, b, ku), chromaOf4(c, d, ku))
      store8(vs + square, chromaOf4(a, b, kv), chromaOf4(c, d, kv))
      store8(squareAlphas + square, chromaOf4(a, b, ka), chromaOf4(c, d, ka))
    }
  }
}

/** Blends a plane from `separate` over part of a frame's plane, whose rows are `stride` apart. */
export function over(
  from: usize,
  alphas: usize,
  width: usize,
  height: usize,
  to: usize,
  stride: usize,
): void {
  const all = i16x8.splat(255)
  for (let y: usize = 0; y < height; y += 1) {
    for (let x: usize = 0; x < width; x += 16) {
      const at = y * width + x
      const alpha = v128.load(alphas + at)
      if (!v128.any_true(alpha)) continue
      const out = to + y * stride + x
      const under = v128.load(out)
      const low = over255(
        i16x8.mul(i16x8.extend_low_i8x16_u(under), i16x8.sub(all, i16x8.extend_low_i8x16_u(alpha))),
      )
      const high = over255(
        i16x8.mul(i16x8.extend_high_i8x16_u(under), i16x8.sub(all, i16x8.extend_high_i8x16_u(alpha))),
      )
      v128.store(out, i8x16.add_sat_u(i8x16.narrow_i16x8_u(low, high), v128.load(from + at)))
    }
  }
}

/** Mixes one frame into another by `weight` of 255; `bytes` is a multiple of 16. */
export function mix(from: usize, to: usize, bytes: usize, weight: i32): void {
  const above = i16x8.splat(<i16>weight)
  const rest = i16x8.splat(<i16>(255 - weight))
  for (let at: usize = 0; at < bytes; at += 16) {
    v128.store(to + at, mixed16(v128.load(to + at), v128.load(from + at), rest, above))
  }
}
