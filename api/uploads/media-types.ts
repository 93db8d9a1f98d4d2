import type { Static } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { type Sniffed, sniffBeginning } from '../../runtime/media/sniff.ts'
import type { UploadKind } from './upload-view.ts'

export type MediumType = { readonly kind: Static<typeof UploadKind>; readonly mediaType: string }

const ofSounds = {
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
} as const

/** Brands of mp4 files that hold sound alone. */
const soundBrands = ['M4A ', 'M4B ']

const images = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const

/** Every type that an upload may have; none of them runs in a browser. */
export const mediaTypes: readonly string[] = [
  ...images.map((format) => `image/${format}`),
  ...['video/mp4', 'video/webm', 'audio/mp4'],
  ...Object.values(ofSounds),
]

const rule =
  'The file must be a picture (png, jpeg, webp, gif, avif), a clip (mp4, mov, webm, mkv) or a sound (mp3, aac, m4a, wav, ogg, opus, flac)'

/** Tells what a file is by its beginning. @throws FarmError media_invalid */
export async function mediumTypeOf(beginning: Buffer): Promise<MediumType> {
  const sniffed = await sniffBeginning(beginning)
  if (sniffed.kind === 'image') return { kind: 'image', mediaType: `image/${sniffed.format}` }
  if (sniffed.kind !== 'audio') {
    throw new FarmError('media_invalid', `${rule}. Got ${nameOf(sniffed)}`, { field: 'file' })
  }
  const { format } = sniffed
  if (format === 'webm') return { kind: 'video', mediaType: 'video/webm' }
  if (format !== 'mp4') return { kind: 'audio', mediaType: ofSounds[format] }
  return soundBrands.includes(beginning.toString('latin1', 8, 12))
    ? { kind: 'audio', mediaType: 'audio/mp4' }
    : { kind: 'video', mediaType: 'video/mp4' }
}

function nameOf(sniffed: Exclude<Sniffed, { kind: 'image' | 'audio' }>): string {
  if (sniffed.kind === 'svg') return 'markup (svg); put it into the svg field of an SVG visual'
  return sniffed.kind === 'foreign'
    ? `${sniffed.name}. ${sniffed.remedy}`
    : 'a file of another kind'
}
