/** Mean structural similarity of two grey pictures, over windows of 8 px (Wang et al., 2004). */
export function ssim(
  one: Float32Array,
  other: Float32Array,
  { width, height }: { width: number; height: number },
) {
  const side = 8
  let sum = 0
  let windows = 0
  for (let top = 0; top + side <= height; top += 4) {
    for (let left = 0; left + side <= width; left += 4) {
      let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0]
      for (let y = top; y < top + side; y += 1) {
        for (let x = left; x < left + side; x += 1) {
          const p = one[y * width + x] ?? 0
          const q = other[y * width + x] ?? 0
          a += p
          b += q
          aa += p * p
          bb += q * q
          ab += p * q
        }
      }
      const n = side * side
      const [ma, mb] = [a / n, b / n]
      const [va, vb, cov] = [aa / n - ma * ma, bb / n - mb * mb, ab / n - ma * mb]
      const [c1, c2] = [6.5025, 58.5225]
      sum += ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2))
      windows += 1
    }
  }
  return sum / windows
}
