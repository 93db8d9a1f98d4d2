/** Mean absolute difference of two pictures' bytes, in 255ths. */
export function meanDifference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new Error('Pictures must be of one size to be compared')
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0))
  return sum / one.length
}

/** The share of bytes, 0..1, that differ by more than `limit`. */
export function shareOver(limit: number, one: Uint8Array, other: Uint8Array): number {
  let count = 0
  for (let at = 0; at < one.length; at++) {
    if (Math.abs((one[at] ?? 0) - (other[at] ?? 0)) > limit) count++
  }
  return count / one.length
}

const windowPx = 8
const luminanceFloor = (0.01 * 255) ** 2
const contrastFloor = (0.03 * 255) ** 2

/** Structural similarity of the green channels (Wang et al. 2004), mean over windows of 8x8 px. */
export function similarity(
  one: Uint8Array,
  other: Uint8Array,
  { width, height }: { width: number; height: number },
): number {
  let sum = 0
  let windows = 0
  for (let y = 0; y + windowPx <= height; y += windowPx / 2) {
    for (let x = 0; x + windowPx <= width; x += windowPx / 2) {
      sum += windowSimilarity(one, other, { start: y * width + x, width })
      windows++
    }
  }
  return sum / windows
}

function windowSimilarity(
  one: Uint8Array,
  other: Uint8Array,
  { start, width }: { start: number; width: number },
): number {
  const sums = { a: 0, b: 0, aa: 0, bb: 0, ab: 0 }
  for (let y = 0; y < windowPx; y++) {
    for (let x = 0; x < windowPx; x++) {
      const at = (start + y * width + x) * 4 + 1
      const a = one[at] ?? 0
      const b = other[at] ?? 0
      sums.a += a
      sums.b += b
      sums.aa += a * a
      sums.bb += b * b
      sums.ab += a * b
    }
  }
  const count = windowPx * windowPx
  const meanA = sums.a / count
  const meanB = sums.b / count
  const varianceA = sums.aa / count - meanA * meanA
  const varianceB = sums.bb / count - meanB * meanB
  const covariance = sums.ab / count - meanA * meanB
  return (
    ((2 * meanA * meanB + luminanceFloor) * (2 * covariance + contrastFloor)) /
    ((meanA * meanA + meanB * meanB + luminanceFloor) * (varianceA + varianceB + contrastFloor))
  )
}
