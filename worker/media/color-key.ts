import type { ColorKey } from '../../core/timeline/draw.ts'

const opaque = 255
/** Squared distance from black to white, which is 1 in the key's own measure. */
const farthest = 3 * 255 * 255

/**
 * Lowers the alpha of straight RGBA pixels in place where their colour is near the key's: the alpha
 * of ffmpeg's `colorkey` times the existing alpha.
 */
export function keyOut(rgba: Uint8Array, { color, similarity, blend }: ColorKey): void {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(color.slice(at, at + 2), 16),
  )
  const gone = similarity * similarity * farthest
  const whole = (similarity + blend) * (similarity + blend) * farthest
  for (let at = 0; at < rgba.length; at += 4) {
    const r = (rgba[at] as number) - red
    const g = (rgba[at + 1] as number) - green
    const b = (rgba[at + 2] as number) - blue
    const square = r * r + g * g + b * b
    if (square > whole) continue
    if (square <= gone) rgba[at + 3] = 0
    else {
      const part = (Math.sqrt(square / farthest) - similarity) / blend
      const kept = Math.floor(Math.min(1, part) * opaque)
      rgba[at + 3] = Math.round(((rgba[at + 3] as number) * kept) / opaque)
    }
  }
}
