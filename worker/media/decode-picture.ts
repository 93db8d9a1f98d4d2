import { readFile } from 'node:fs/promises'
import sharp, { type OutputInfo, type Sharp, type SharpOptions } from 'sharp'
import type { ColorKey } from '../../core/timeline/draw.ts'
import type { Padding } from '../../core/timeline/rect.ts'
import type { ColorCoding } from './color-coding.ts'
import { keyOut } from './color-key.ts'
import { codingIn } from './color-tags.ts'
import { stillOfGif } from './mend-gif.ts'
import { mendPicture } from './mend-picture.ts'
import { salvaged } from './picture-structure.ts'
import { clearFilling, isHarmless, type Pixels, turnUpright } from './salvage-picture.ts'
import { toSrgb } from './to-srgb.ts'

/** Largest picture to decode, pixels; a second check after that of the header. */
const pixelsMax = 50_000_000

/** Straight RGBA, 8 bits, sRGB, upright. */
export type Decoded = Pixels & {
  readonly hasAlpha: boolean
  /** Visible share of a damaged picture's pixels, more than 0 and at most 1. */
  readonly shown?: number
}

/** Changes applied to the pixels before anyone uses them. */
export type Preparation = {
  readonly key?: ColorKey | undefined
  readonly room?: Padding | undefined
}

/**
 * Decodes the picture (of an animation the first frame): EXIF rotation applied, colours converted
 * to sRGB by its profile or its code points, 16 bits reduced to 8. Then `key` is keyed out and
 * `room` added around. A damaged JPEG, PNG or GIF is decoded as far as possible, like in browsers;
 * damage of others throws.
 */
export async function decodePicture(
  file: string | Buffer,
  preparation: Preparation = {},
): Promise<Decoded> {
  const sent = typeof file === 'string' ? await readFile(file) : file
  const bytes = mendPicture(sent)
  const options = { limitInputPixels: pixelsMax, pages: 1 } as const
  const {
    hasAlpha = false,
    format,
    space,
    icc,
    orientation,
  } = await sharp(bytes, {
    ...options,
    failOn: 'none',
  }).metadata()
  const coding = codingIn(bytes, { format, hasProfile: icc !== undefined })
  const decode = (how: Pick<Picture, 'failOn' | 'isTurned'>) => {
    const picture = { ...how, bytes, options, space, profile: icc }
    return coding ? byCoding(picture, coding) : byProfile(picture)
  }
  try {
    // libjpeg fills in grey where data is missing or damaged, and only warns. The other decoders
    // fail, and their warnings affect no pixel.
    const upright = await decode({
      failOn: format === 'jpeg' ? 'warning' : 'error',
      isTurned: true,
    })
    const isCutGif = format === 'gif' && stillOfGif(sent)?.isCut
    if (!isCutGif) return { ...prepared(upright, preparation), hasAlpha }
    const shown = clearFilling(upright, { format, isPlain: true })
    if (shown === 0) throw new Error('Nothing of the first frame is there')
    return { ...prepared(upright, preparation), hasAlpha: true, shown }
  } catch (error) {
    if (!salvaged.has(format)) throw error
    if (isHarmless(error)) {
      const upright = await decode({ failOn: 'none', isTurned: true })
      return { ...prepared(upright, preparation), hasAlpha }
    }
    const coded = await decode({ failOn: 'none', isTurned: false })
    const shown = clearFilling(coded, { format, isPlain: !icc && !coding })
    if (shown === 0) throw error
    const upright = await turnUpright(coded, orientation)
    return { ...prepared(upright, preparation), hasAlpha: hasAlpha || shown < 1, shown }
  }
}

type Picture = {
  readonly bytes: Buffer
  readonly options: SharpOptions
  readonly failOn: 'none' | 'warning' | 'error'
  readonly isTurned: boolean
  readonly space: string
  readonly profile: Buffer | undefined
}

async function byProfile(picture: Picture): Promise<Pixels> {
  const { space, profile } = picture
  if (space === 'cmyk' && !isOfInk(profile)) return fromInk(picture)
  // sharp applies a profile correctly to 8 bits; with 16 it treats grey ones as sRGB and others as
  // P3.
  const narrow = ({ rgb16: 'srgb', grey16: 'b-w' } as const)[space]
  const image = open(picture)
  return rgbaOf(narrow ? image.pipelineColourspace(narrow) : image)
}

function open({ bytes, options, failOn, isTurned }: Picture, more: SharpOptions = {}): Sharp {
  const image = sharp(bytes, { ...options, failOn, ...more })
  return isTurned ? image.autoOrient() : image
}

/**
 * Decodes by code points. Without a profile the bytes pass unchanged; 16 bits are kept for the next
 * step.
 */
async function byCoding(picture: Picture, coding: ColorCoding): Promise<Pixels> {
  const image = open(picture, { ignoreIcc: true })
  if (!picture.space.endsWith('16')) {
    const { raw, ...size } = await rgbaOf(image)
    return { ...size, raw: toSrgb(raw, coding) }
  }
  const { data, info } = await image
    .toColorspace('rgb16')
    .ensureAlpha()
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
  return { ...sizeOf(info), raw: toSrgb(samples, coding) }
}

async function rgbaOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image
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

/** Returns whether the profile is for CMYK: ICC.1, 7.2, the colour space of the file. */
function isOfInk(profile: Buffer | undefined): boolean {
  return profile?.toString('latin1', 16, 20) === 'CMYK'
}

/** Converts CMYK without a profile, like browsers: each ink absorbs its share of the light. */
async function fromInk(picture: Picture): Promise<Pixels> {
  const { data, info } = await open(picture, { ignoreIcc: true })
    .pipelineColourspace('cmyk')
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

/** Applies the preparation to `picture`; its bytes may be changed in place. */
export function prepared(picture: Pixels, { key, room }: Preparation): Pixels {
  if (key) keyOut(picture.raw, key)
  return room ? withPadding(picture.raw, picture, room) : picture
}

function withPadding(
  raw: Buffer,
  { width, height }: { width: number; height: number },
  { left, top, right, bottom }: Padding,
) {
  const wider = left + width + right
  const higher = top + height + bottom
  const roomy = Buffer.alloc(wider * higher * 4)
  for (let y = 0; y < height; y++) {
    raw.copy(roomy, ((top + y) * wider + left) * 4, y * width * 4, (y + 1) * width * 4)
  }
  return { raw: roomy, width: wider, height: higher }
}
