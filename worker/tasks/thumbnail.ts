import { writeFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import type { TaskContext } from '../context.ts'
import { loadPictures } from '../media/picture.ts'
import { fetchOriginal } from './originals.ts'

const quality = 85
/** Longest side of a thumbnail that the customer gave, px: as large as a film may be on most plans. */
const givenSide = 1920

/** Writes the picture that the customer gave as a thumbnail, as a jpg. */
export async function givenThumbnail(digest: string, to: string, task: TaskContext): Promise<void> {
  const { node, dir, signal } = task
  const source = {
    pixels: { kind: 'media' as const, digest },
    open: () => fetchOriginal(digest, task),
  }
  const { sandbox, pixels } = node
  const [picture] = await loadPictures([source], { sandbox, pixels, dir, signal })
  if (!picture) throw new Error('A picture that was asked for must come. Got none')
  const { rgba, width, height } = picture
  const jpeg = jpegOf(sharp(rgba, { raw: { width, height, channels: 4 } }), givenSide)
  await writeFile(to, await jpeg.toBuffer())
}

/** At most `side` px a side, over white. */
export function jpegOf(picture: Sharp, side: number): Sharp {
  return picture
    .flatten({ background: '#ffffff' })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality })
}
