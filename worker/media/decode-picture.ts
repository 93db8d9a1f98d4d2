import sharp from 'sharp'

/** Largest picture that is decoded, pixels; a second fence behind the reading of the header. */
const pixelsMax = 50_000_000

export type Decoded = {
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
  /** Straight RGBA, 8 bits, sRGB, upright. */
  readonly raw: Buffer
}

/**
 * Decodes the whole picture (of an animation the first frame): EXIF rotation applied, embedded
 * profile turned to sRGB, 16 bits brought down to 8. Throws on damage and on a missing end.
 */
export async function decodePicture(file: string | Buffer): Promise<Decoded> {
  const picture = sharp(file, { failOn: 'error', limitInputPixels: pixelsMax, pages: 1 })
  const { hasAlpha = false } = await picture.metadata()
  const { data, info } = await picture
    .autoOrient()
    .toColorspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== 4) throw new Error(`RGBA has 4 channels. Got ${info.channels}`)
  return { width: info.width, height: info.height, hasAlpha, raw: data }
}
