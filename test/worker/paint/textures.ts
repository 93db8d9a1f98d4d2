import type { Bitmap, Canvas, StraightPixels } from '../../../worker/paint/canvas.ts'

export type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

/** A picture from a function of its pixels. */
export function pixelsOf(
  width: number,
  height: number,
  color: (x: number, y: number) => Rgba,
): StraightPixels {
  const rgba = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rgba.set(color(x, y), (y * width + x) * 4)
  }
  return { width, height, rgba }
}

/** A colourful texture with soft and hard detail; `seed` makes another one. */
export function texture(width: number, height: number, seed: number): StraightPixels {
  return pixelsOf(width, height, (x, y) => {
    const wave = Math.sin((x + seed * 37) / 9) * Math.cos((y - seed * 11) / 13)
    const check = (Math.floor(x / 16) + Math.floor(y / 16) + seed) % 2
    return [
      Math.round(128 + 90 * wave),
      Math.round((x * 255) / width) ^ (check * 60),
      Math.round(((height - y) * 255) / height) * (1 - check * 0.4),
      255,
    ]
  })
}

/** The texture inside an ellipse that fades out, nothing outside. */
export function badge(width: number, height: number, seed: number): StraightPixels {
  const opaque = texture(width, height, seed)
  return pixelsOf(width, height, (x, y) => {
    const distance = Math.hypot((x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5) * 2
    const alpha = Math.round(255 * Math.min(1, Math.max(0, (1 - distance) * 4)))
    const at = (y * width + x) * 4
    const [red = 0, green = 0, blue = 0] = opaque.rgba.subarray(at, at + 3)
    return [red, green, blue, alpha]
  })
}

/** Converts pixels to the result of `Canvas.readPixels`. */
export function premultiplied({ rgba }: StraightPixels): Uint8Array {
  return Uint8Array.from(rgba, (value, at) =>
    at % 4 === 3 ? value : Math.round((value * (rgba[at - (at % 4) + 3] as number)) / 255),
  )
}

/** Bitmaps by digest, made by the backend that paints them. */
export function album(
  canvas: Canvas,
  pictures: Readonly<Record<string, StraightPixels>>,
): (pixels: { digest: string }) => Bitmap {
  const bitmaps = new Map(
    Object.entries(pictures).map(([digest, pixels]) => [digest, canvas.bitmapFromRgba(pixels)]),
  )
  return ({ digest }) => {
    const bitmap = bitmaps.get(digest)
    if (!bitmap) throw new Error(`The album has no picture ${digest}`)
    return bitmap
  }
}

export function pixelAt(
  pixels: Uint8Array,
  width: number,
  [x, y]: readonly [x: number, y: number],
): Rgba {
  const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray((y * width + x) * 4)
  return [red, green, blue, alpha]
}
