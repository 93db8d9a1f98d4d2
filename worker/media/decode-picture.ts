import sharp from 'sharp'
import type { ColorKey, Room } from '../../core/timeline/draw.ts'
import { keyOut } from './color-key.ts'

/** Largest picture that is decoded, pixels; a second fence behind the reading of the header. */
const pixelsMax = 50_000_000

export type Decoded = {
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
  /** Straight RGBA, 8 bits, sRGB, upright. */
  readonly raw: Buffer
}

type Upright = Omit<Decoded, 'hasAlpha'>

/** What is worked into the pixels before anybody sees them. */
export type Preparation = {
  readonly key?: ColorKey | undefined
  readonly room?: Room | undefined
}

/**
 * Decodes the whole picture (of an animation the first frame): EXIF rotation applied, embedded
 * profile turned to sRGB, 16 bits brought down to 8; then `key` is keyed out and `room` put around.
 * Throws on damage and on a missing end.
 */
export async function decodePicture(
  file: string | Buffer,
  preparation: Preparation = {},
): Promise<Decoded> {
  const options = { limitInputPixels: pixelsMax, pages: 1 } as const
  const { hasAlpha = false, format } = await sharp(file, options).metadata()
  // Where a JPEG's data breaks off or is damaged, libjpeg goes on in grey and only warns. The other
  // decoders fail, and warn of what harms no pixel.
  const failOn = format === 'jpeg' ? 'warning' : 'error'
  const { data, info } = await sharp(file, { ...options, failOn })
    .autoOrient()
    .toColorspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== 4) throw new Error(`RGBA has 4 channels. Got ${info.channels}`)
  const { width, height } = info
  return { ...prepared({ raw: data, width, height }, preparation), hasAlpha }
}

/** `picture` with what is worked into it; its bytes are changed, or left. */
export function prepared(picture: Upright, { key, room }: Preparation): Upright {
  if (key) keyOut(picture.raw, key)
  return room ? withRoom(picture.raw, picture, room) : picture
}

function withRoom(
  raw: Buffer,
  { width, height }: { width: number; height: number },
  { left, top, right, bottom }: Room,
) {
  const wider = left + width + right
  const higher = top + height + bottom
  const roomy = Buffer.alloc(wider * higher * 4)
  for (let y = 0; y < height; y++) {
    raw.copy(roomy, ((top + y) * wider + left) * 4, y * width * 4, (y + 1) * width * 4)
  }
  return { raw: roomy, width: wider, height: higher }
}
