// Filters rows of RGBA pixels for a PNG: each by the filter with the smallest differences in a
// third of it. AssemblyScript, not TypeScript: `npm run png:bands` compiles it and runs.ts to
// ../bands.wasm, which is committed with them.
//
// https://www.w3.org/TR/png-3/#9Filters. test/worker/png/writer.test.ts has the plain arithmetic.

const none: i32 = 0
const sub: i32 = 1
const up: i32 = 2
const average: i32 = 3
const paeth: i32 = 4

// Zeros before a packed row stand for the pixel left of its first. After it there is room for a
// whole step.
const step: usize = 16
// One in this many steps is examined to choose a filter: photographs get 1 % larger than with all
// of them.
const lookedAt: usize = 3

@inline
function difference(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.max_u(a, b), i8x16.min_u(a, b))
}

@inline
function mean(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), i8x16.splat(1)))
}

// Returns the candidate closest to left + above - corner. A distance beyond 255 is never the least.
@inline
function nearest(left: v128, above: v128, corner: v128): v128 {
  const toLeft = difference(above, corner)
  const toAbove = difference(left, corner)
  const isOneSided = i8x16.eq(i8x16.ge_u(above, corner), i8x16.ge_u(left, corner))
  const toCorner = v128.bitselect(
    i8x16.add_sat_u(toLeft, toAbove),
    difference(toLeft, toAbove),
    isOneSided,
  )
  const isLeft = v128.and(i8x16.le_u(toLeft, toAbove), i8x16.le_u(toLeft, toCorner))
  const isAbove = i8x16.le_u(toAbove, toCorner)
  return v128.bitselect(left, v128.bitselect(above, corner, isAbove), isLeft)
}

@inline
function filtered(filter: i32, row: usize, before: usize, at: usize, pixel: usize): v128 {
  const here = v128.load(row + at)
  if (filter == sub) return i8x16.sub(here, v128.load(row + at - pixel))
  if (filter == up) return i8x16.sub(here, v128.load(before + at))
  if (filter == average) {
    return i8x16.sub(here, mean(v128.load(row + at - pixel), v128.load(before + at)))
  }
  if (filter == paeth) {
    const corner = v128.load(before + at - pixel)
    return i8x16.sub(here, nearest(v128.load(row + at - pixel), v128.load(before + at), corner))
  }
  return here
}

// Returns four sums of sixteen differences, each of -128 to 127.
@inline
function sizes(differences: v128, mask: v128): v128 {
  const each = v128.and(i8x16.abs(differences), mask)
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(each))
}

@inline
function total(sums: v128): i32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  )
}

@inline
function masked(at: usize, length: usize): v128 {
  if (at + step <= length) return i8x16.splat(-1)
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return i8x16.lt_u(places, i8x16.splat(<i8>(length - at)))
}

// Returns the filter with the smallest sum of differences, which usually compresses best.
function bestFilter(row: usize, before: usize, length: usize, pixel: usize): i32 {
  let bare = i32x4.splat(0)
  let subs = i32x4.splat(0)
  let ups = i32x4.splat(0)
  let averages = i32x4.splat(0)
  let paeths = i32x4.splat(0)
  for (let at: usize = 0; at < length; at += lookedAt * step) {
    const mask = masked(at, length)
    bare = i32x4.add(bare, sizes(filtered(none, row, before, at, pixel), mask))
    subs = i32x4.add(subs, sizes(filtered(sub, row, before, at, pixel), mask))
    ups = i32x4.add(ups, sizes(filtered(up, row, before, at, pixel), mask))
    averages = i32x4.add(averages, sizes(filtered(average, row, before, at, pixel), mask))
    paeths = i32x4.add(paeths, sizes(filtered(paeth, row, before, at, pixel), mask))
  }
  let best = none
  let least = total(bare)
  if (total(subs) < least) {
    best = sub
    least = total(subs)
  }
  if (total(ups) < least) {
    best = up
    least = total(ups)
  }
  if (total(averages) < least) {
    best = average
    least = total(averages)
  }
  if (total(paeths) < least) best = paeth
  return best
}

@inline
function writeBy(filter: i32, row: usize, before: usize, length: usize, pixel: usize, to: usize): void {
  for (let at: usize = 0; at < length; at += step) {
    v128.store(to + at, filtered(filter, row, before, at, pixel))
  }
}

function write(filter: i32, row: usize, before: usize, length: usize, pixel: usize, to: usize): void {
  store<u8>(to, <u8>filter)
  to += 1
  if (filter == sub) writeBy(sub, row, before, length, pixel, to)
  else if (filter == up) writeBy(up, row, before, length, pixel, to)
  else if (filter == average) writeBy(average, row, before, length, pixel, to)
  else if (filter == paeth) writeBy(paeth, row, before, length, pixel, to)
  else writeBy(none, row, before, length, pixel, to)
}

// Packs the first `pixel` bytes, 3 or 4, of each pixel. Writes up to one step too far.
function pack(from: usize, width: usize, pixel: usize, to: usize): void {
  if (pixel == 4) {
    memory.copy(to, from, width * 4)
    return
  }
  for (let x: usize = 0; x < width; x += 4) {
    const four = v128.load(from + x * 4)
    v128.store(
      to + x * 3,
      v128.shuffle<u8>(four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15),
    )
  }
}

/**
 * Filters `rows` rows of `width` px at `from` to `to`, each preceded by its filter byte. `pixel`: 3
 * for RGB, 4 for RGBA. `from` holds the row above first. `scratch`: room for two packed rows, each
 * with a step before it and two after it, all zeros before the first call.
 */
export function filterRows(
  from: usize,
  width: usize,
  rows: usize,
  pixel: usize,
  to: usize,
  scratch: usize,
): void {
  const length = width * pixel
  let before = scratch + step
  let row = before + length + 3 * step
  pack(from, width, pixel, before)
  // Packing writes a little too far, which is harmless: those bytes are masked out or overwritten.
  for (let y: usize = 1; y <= rows; y += 1) {
    pack(from + y * width * 4, width, pixel, row)
    const filter = bestFilter(row, before, length, pixel)
    write(filter, row, before, length, pixel, to)
    to += length + 1
    const done = before
    before = row
    row = done
  }
}

const adlerPrime: i64 = 65521
// Most bytes for which no sum of four lanes overflows.
const adlerStretch: i32 = 4096

/**
 * Returns both sums of Adler-32 (RFC 1950) of `length` bytes at `from`, as if both began at 0; the
 * plain one is in the lower sixteen bits.
 */
export function adlerSums(from: usize, length: i32): u32 {
  const early = i16x8(16, 15, 14, 13, 12, 11, 10, 9)
  const late = i16x8(8, 7, 6, 5, 4, 3, 2, 1)
  let a: i64 = 0
  let b: i64 = 0
  while (length >= <i32>step) {
    const stretch = min(length, adlerStretch) & ~15
    let plain = i32x4.splat(0)
    let earlier = i32x4.splat(0)
    let weighed = i32x4.splat(0)
    for (const end = from + stretch; from < end; from += step) {
      const bytes = v128.load(from)
      earlier = i32x4.add(earlier, plain)
      plain = i32x4.add(
        plain,
        i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)),
      )
      weighed = i32x4.add(weighed, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(bytes), early))
      weighed = i32x4.add(weighed, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(bytes), late))
    }
    b = (b + a * stretch + 16 * <i64>total(earlier) + <i64>total(weighed)) % adlerPrime
    a = (a + <i64>total(plain)) % adlerPrime
    length -= stretch
  }
  for (; length > 0; length -= 1) {
    a += load<u8>(from)
    b += a
    from += 1
  }
  return (<u32>(b % adlerPrime) << 16) | <u32>(a % adlerPrime)
}
