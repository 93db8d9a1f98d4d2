// Converts RGBA (opaque, rows top first) to planar YUV 4:2:0 in BT.709, limited range.
// AssemblyScript, not TypeScript: `npm run encode:yuv` compiles it to ../convert.wasm, which is
// committed with it.
//
// It uses 15-bit fixed point, so that every processor gives the same bytes. A sample of U or V is
// computed from the sum of its four pixels. test/worker/encode/yuv.test.ts has the plain
// arithmetic.

import { dot4, squares } from './sums'

// Y = 16 + 219/255 * (0.2126 R + 0.7152 G + 0.0722 B); U and V = 128 + 224/255 * (...).
const yr: i16 = 5983
const yg: i16 = 20127
const yb: i16 = 2032
const ur: i16 = -3298
const ug: i16 = -11094
const ub: i16 = 14392
const vr: i16 = 14392
const vg: i16 = -13072
const vb: i16 = -1320

// 16 and 128 plus the half that rounds; a chroma sum is of four pixels, so two bits longer.
const yOffset: i32 = (16 << 15) + (1 << 14)
const cOffset: i32 = (128 << 17) + (1 << 16)

@inline
function luma4(px: v128): v128 {
  const k = i16x8(yr, yg, yb, 0, yr, yg, yb, 0)
  const sum = dot4(i16x8.extend_low_i8x16_u(px), i16x8.extend_high_i8x16_u(px), k)
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(yOffset)), 15)
}

@inline
function luma16(from: usize, to: usize): void {
  const a = i16x8.narrow_i32x4_s(luma4(v128.load(from)), luma4(v128.load(from, 16)))
  const b = i16x8.narrow_i32x4_s(luma4(v128.load(from, 32)), luma4(v128.load(from, 48)))
  v128.store(to, i8x16.narrow_i16x8_u(a, b))
}

@inline
function chroma4(a: v128, b: v128, k: v128): v128 {
  return i32x4.shr_s(i32x4.add(dot4(a, b, k), i32x4.splat(cOffset)), 17)
}

// Converts U and V of sixteen pixels of two rows: eight samples each.
@inline
function chroma16(top: usize, bottom: usize, u: usize, v: usize): void {
  const a = squares(v128.load(top), v128.load(bottom))
  const b = squares(v128.load(top, 16), v128.load(bottom, 16))
  const c = squares(v128.load(top, 32), v128.load(bottom, 32))
  const d = squares(v128.load(top, 48), v128.load(bottom, 48))
  const ku = i16x8(ur, ug, ub, 0, ur, ug, ub, 0)
  const kv = i16x8(vr, vg, vb, 0, vr, vg, vb, 0)
  const us = i16x8.narrow_i32x4_s(chroma4(a, b, ku), chroma4(c, d, ku))
  const vs = i16x8.narrow_i32x4_s(chroma4(a, b, kv), chroma4(c, d, kv))
  v128.store64_lane(u, i8x16.narrow_i16x8_u(us, us), 0)
  v128.store64_lane(v, i8x16.narrow_i16x8_u(vs, vs), 0)
}

// Converts a square of two by two pixels, for pictures narrower than sixteen.
@inline
function square(top: usize, bottom: usize, row: usize, width: usize, u: usize, v: usize): void {
  const a = v128.load64_zero(top)
  const b = v128.load64_zero(bottom)
  const ys = i16x8.narrow_i32x4_s(luma4(a), luma4(b))
  const bytes = i8x16.narrow_i16x8_u(ys, ys)
  store<u16>(row, i16x8.extract_lane_u(bytes, 0))
  store<u16>(row + width, i16x8.extract_lane_u(bytes, 2))
  const sums = squares(a, b)
  const zero = i32x4.splat(0)
  store<u8>(u, <u8>i32x4.extract_lane(chroma4(sums, zero, i16x8(ur, ug, ub, 0, ur, ug, ub, 0)), 0))
  store<u8>(v, <u8>i32x4.extract_lane(chroma4(sums, zero, i16x8(vr, vg, vb, 0, vr, vg, vb, 0)), 0))
}

/** Converts a frame. `from` and `to` are addresses in the memory; width and height are even. */
export function convert(from: usize, width: usize, height: usize, to: usize): void {
  const us = to + width * height
  convertRows(from, width, height, to, us, us + ((width * height) >> 2))
}

/** Converts some rows of a frame, like `convert`; `ys`, `us`, `vs`: addresses of the planes. */
export function convertRows(
  from: usize,
  width: usize,
  height: usize,
  ys: usize,
  us: usize,
  vs: usize,
): void {
  for (let y: usize = 0; y < height; y += 2) {
    const top = from + y * width * 4
    const bottom = top + width * 4
    const row = ys + y * width
    const u = us + (y >> 1) * (width >> 1)
    const v = vs + (y >> 1) * (width >> 1)
    if (width < 16) {
      for (let x: usize = 0; x < width; x += 2) {
        square(top + x * 4, bottom + x * 4, row + x, width, u + (x >> 1), v + (x >> 1))
      }
      continue
    }
    for (let at: usize = 0; at < width; at += 16) {
      // The last sixteen overlap the ones before them when the width is no multiple of sixteen.
      const x = min(at, width - 16)
      luma16(top + x * 4, row + x)
      luma16(bottom + x * 4, row + width + x)
      chroma16(top + x * 4, bottom + x * 4, u + (x >> 1), v + (x >> 1))
    }
  }
}
