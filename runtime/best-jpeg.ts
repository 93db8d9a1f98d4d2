import sharp from 'sharp'

type Pixels = { readonly pixels: Uint8Array; readonly width: number; readonly height: number }
type Fitting = {
  readonly to: { readonly width: number; readonly height: number }
  /** The highest first. */
  readonly qualities: readonly number[]
  readonly maxBytes: number
}

/**
 * Encodes opaque RGBA pixels as JPEG in the highest quality that fits; undefined where none does.
 * Searches by halves: a higher quality is never smaller.
 */
export async function bestJpeg(
  { pixels, width, height }: Pixels,
  { to, qualities, maxBytes }: Fitting,
): Promise<{ readonly jpeg: Buffer; readonly quality: number } | undefined> {
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .resize({ ...to, fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: 3 } as const
  let best: { jpeg: Buffer; quality: number } | undefined
  for (let low = 0, high = qualities.length - 1; low <= high; ) {
    const middle = Math.floor((low + high) / 2)
    const quality = qualities[middle] ?? 40
    const jpeg = await sharp(data, { raw }).jpeg({ quality, mozjpeg: true }).toBuffer()
    if (jpeg.length <= maxBytes) {
      best = { jpeg, quality }
      high = middle - 1
    } else low = middle + 1
  }
  return best
}
