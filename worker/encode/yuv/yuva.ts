/** Constants as in assembly/convert.ts: 15-bit fixed point, BT.709, limited range. */
const luma = [5983, 20127, 2032] as const
const u = [-3298, -11094, 14392] as const
const v = [14392, -13072, -1320] as const
const half = 1 << 14
/** Sum of a square's four values of 0..255. */
const squareMax = 1020

/**
 * Converts a layer over a film: premultiplied RGBA of an even size to planar straight YUVA 4:2:0,
 * all Y, then U, V, A. A sample of U or V is the mean of its four pixels weighted by their alpha,
 * so that blending it equals blending the pixels.
 */
export function toYuva(rgba: Buffer, { width, height }: { width: number; height: number }): Buffer {
  const pixels = width * height
  const to = Buffer.alloc((pixels * 5) / 2, 16)
  to.fill(128, pixels, (pixels * 3) / 2)
  to.fill(0, (pixels * 3) / 2)
  const words = new Uint32Array(rgba.buffer, rgba.byteOffset, pixels)
  const us = pixels
  const vs = us + pixels / 4
  const as = vs + pixels / 4
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const at = y * width + x
      const below = at + width
      const seen =
        (words[at] ?? 0) | (words[at + 1] ?? 0) | (words[below] ?? 0) | (words[below + 1] ?? 0)
      if (seen === 0) continue
      let [r, g, b, a] = [0, 0, 0, 0]
      for (let corner = 0; corner < 4; corner += 1) {
        const place = (corner < 2 ? at : below) + (corner & 1)
        const alpha = rgba[place * 4 + 3] ?? 0
        if (alpha === 0) continue
        const red = rgba[place * 4] ?? 0
        const green = rgba[place * 4 + 1] ?? 0
        const blue = rgba[place * 4 + 2] ?? 0
        const sum = luma[0] * red + luma[1] * green + luma[2] * blue
        to[place] = 16 + ((Math.round((sum * 255) / alpha) + half) >> 15)
        to[as + place] = alpha
        r += red
        g += green
        b += blue
        a += alpha
      }
      const straight = squareMax / a / 4
      const place = (y >> 1) * (width >> 1) + (x >> 1)
      to[us + place] =
        128 + Math.floor(((u[0] * r + u[1] * g + u[2] * b) * straight + half) / 32768)
      to[vs + place] =
        128 + Math.floor(((v[0] * r + v[1] * g + v[2] * b) * straight + half) / 32768)
    }
  }
  return to
}
