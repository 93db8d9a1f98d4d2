import sharp from 'sharp'

export type Pixels = { readonly width: number; readonly height: number; readonly raw: Buffer }

/** Warnings of libjpeg about data with all their pixels. */
const harmless =
  /Invalid SOS parameters|Adobe color transform|JFIF revision|Inconsistent progression/

export function isHarmless(error: unknown): boolean {
  return error instanceof Error && harmless.test(error.message)
}

/**
 * Clears the pixels that a decoder filled in after the end of the data, and returns the valid share
 * of the picture. `picture`: rows as they are coded. Less than a line is left, as a few equal
 * pixels at the end may be genuine. `isPlain`: its colours were not converted.
 */
export function clearFilling(
  { width, height, raw }: Pixels,
  { format, isPlain }: { format: string; isPlain: boolean },
): number {
  const last = raw.length - 4
  if (!isFilling(raw.subarray(last), { format, isPlain })) return 1
  const filling = raw.readUInt32LE(last)
  let at = last
  while (at >= 4 && raw.readUInt32LE(at - 4) === filling) at -= 4
  if (at > 0 && raw.length - at < width * 4) return 1
  raw.fill(0, at)
  return at / (width * height * 4)
}

/**
 * Returns whether the decoder may have made up a pixel: libjpeg's are 128 in all channels, libpng's
 * black, a GIF's clear.
 */
function isFilling(
  [red = 0, green = 0, blue = 0, alpha = 0]: Uint8Array,
  { format, isPlain }: { format: string; isPlain: boolean },
): boolean {
  if (format === 'gif') return alpha === 0
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)]
  const slack = isPlain ? 1 : 50
  const right = format === 'png' ? 0 : 128
  return most - least < 4 && least >= right - slack && most <= right + slack
}

/** Clockwise turns, followed by mirroring left to right, by EXIF's orientation. */
const turns: Readonly<Record<number, readonly [degrees: number, isMirrored: boolean]>> = {
  ...{ 2: [0, true], 3: [180, false], 4: [180, true], 5: [90, true] },
  ...{ 6: [90, false], 7: [270, true], 8: [270, false] },
}

export async function turnUpright(
  pixels: Pixels,
  orientation: number | undefined,
): Promise<Pixels> {
  const turn = turns[orientation ?? 1]
  if (!turn) return pixels
  const { raw, ...size } = pixels
  const image = sharp(raw, { raw: { ...size, channels: 4 } }).rotate(turn[0])
  const { data, info } = await image.flop(turn[1]).raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, raw: data }
}
