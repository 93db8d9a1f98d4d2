import { readFile } from 'node:fs/promises'
import sharp, { type OutputInfo, type Sharp, type SharpOptions } from 'sharp'
import type { ColorKey, Room } from '../../core/timeline/draw.ts'
import type { ColorCoding } from './color-coding.ts'
import { keyOut } from './color-key.ts'
import { codingIn } from './color-tags.ts'
import { toSrgb } from './to-srgb.ts'

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
 * Decodes the whole picture (of an animation the first frame): EXIF rotation applied, colours turned to sRGB by its
 * profile or by the numbers that stand for one, 16 bits brought down to 8; then `key` is keyed out and `room` put around.
 * Throws on damage and on a missing end.
 */
export async function decodePicture(
  file: string | Buffer,
  preparation: Preparation = {},
): Promise<Decoded> {
  const bytes = typeof file === 'string' ? await readFile(file) : file
  const options = { limitInputPixels: pixelsMax, pages: 1 } as const
  const { hasAlpha = false, format, space, icc } = await sharp(bytes, options).metadata()
  // Where a JPEG's data breaks off or is damaged, libjpeg goes on in grey and only warns. The other
  // decoders fail, and warn of what harms no pixel.
  const failOn = format === 'jpeg' ? 'warning' : 'error'
  const picture = { bytes, options: { ...options, failOn }, space, profile: icc } as const
  const coding = codingIn(bytes, { format, hasProfile: icc !== undefined })
  const upright = coding ? await byCoding(picture, coding) : await byProfile(picture)
  return { ...prepared(upright, preparation), hasAlpha }
}

type Picture = {
  readonly bytes: Buffer
  readonly options: SharpOptions
  readonly space: string
  readonly profile: Buffer | undefined
}

async function byProfile({ bytes, options, space, profile }: Picture): Promise<Upright> {
  if (space === 'cmyk' && !isOfInk(profile)) return fromInk({ bytes, options })
  // sharp applies a profile to 8 bits as it should; of 16 it takes grey ones for sRGB and others for P3.
  const narrow = ({ rgb16: 'srgb', grey16: 'b-w' } as const)[space]
  const image = sharp(bytes, options)
  return rgbaOf(narrow ? image.pipelineColourspace(narrow) : image)
}

/** Without a profile the bytes are sRGB to everybody, 16 bits stay for what is done with them next. */
async function byCoding({ bytes, options, space }: Picture, coding: ColorCoding): Promise<Upright> {
  const image = sharp(bytes, { ...options, ignoreIcc: true })
  if (!space.endsWith('16')) {
    const { raw, ...size } = await rgbaOf(image)
    return { ...size, raw: toSrgb(raw, coding) }
  }
  const { data, info } = await image
    .autoOrient()
    .toColorspace('rgb16')
    .ensureAlpha()
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
  return { ...sizeOf(info), raw: toSrgb(samples, coding) }
}

async function rgbaOf(image: Sharp): Promise<Upright> {
  const { data, info } = await image
    .autoOrient()
    .toColorspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { ...sizeOf(info), raw: data }
}

function sizeOf({ channels, width, height }: OutputInfo) {
  if (channels !== 4) throw new Error(`RGBA has 4 channels. Got ${channels}`)
  return { width, height }
}

/** ICC.1, 7.2: the colour space of the file that it belongs to. */
function isOfInk(profile: Buffer | undefined): boolean {
  return profile?.toString('latin1', 16, 20) === 'CMYK'
}

/** CMYK that no profile describes, as browsers take it: each ink takes its share of the light away. */
async function fromInk({ bytes, options }: Pick<Picture, 'bytes' | 'options'>): Promise<Upright> {
  const { data, info } = await sharp(bytes, { ...options, ignoreIcc: true })
    .pipelineColourspace('cmyk')
    .autoOrient()
    .toColorspace('cmyk')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 4) {
    const light = 255 - (data[at + 3] ?? 0)
    for (let ink = 0; ink < 3; ink++) {
      data[at + ink] = Math.round(((255 - (data[at + ink] ?? 0)) * light) / 255)
    }
    data[at + 3] = 255
  }
  return { ...sizeOf(info), raw: data }
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
