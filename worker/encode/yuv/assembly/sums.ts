// Computes sums over the channels of RGBA pixels and over squares of them.

// Returns four weighted sums of three products: `a` is two pixels as 16-bit RGBA, `b` two more; `k`
// are the weights.
@inline
export function dot4(a: v128, b: v128, k: v128): v128 {
  const p = i32x4.dot_i16x8_s(a, k)
  const q = i32x4.dot_i16x8_s(b, k)
  return i32x4.add(v128.shuffle<i32>(p, q, 0, 2, 4, 6), v128.shuffle<i32>(p, q, 1, 3, 5, 7))
}

// Takes four pixels of each of two rows; returns the sums of their two squares, as 16-bit RGBA
// RGBA.
@inline
export function squares(top: v128, bottom: v128): v128 {
  const l = i16x8.add(i16x8.extend_low_i8x16_u(top), i16x8.extend_low_i8x16_u(bottom))
  const h = i16x8.add(i16x8.extend_high_i8x16_u(top), i16x8.extend_high_i8x16_u(bottom))
  return i16x8.add(v128.shuffle<i64>(l, h, 0, 2), v128.shuffle<i64>(l, h, 1, 3))
}
