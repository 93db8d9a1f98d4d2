import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { filmFormat, type Plan } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { takeThumbnail } from '../encode/join.ts'
import { loadPictures } from '../media/picture.ts'
import { fetchOriginal } from './originals.ts'

const quality = 85
/** Longest side of a thumbnail that the customer gave, px: as large as a film may be on most plans. */
const givenSide = 1920

/** A thumbnail as a jpg: the picture that the plan names, or a frame of the film `file`. */
export async function thumbnailOf(plan: Plan, file: string, task: TaskContext): Promise<string> {
  const { output, timeline } = plan
  const { node, dir, signal } = task
  const { thumbnailFrame, thumbnailPicture: digest } = output
  if (digest === undefined) {
    const frame = Math.min(thumbnailFrame, timeline.frames - 1)
    const { frameRate } = timeline
    const taken = { file, format: filmFormat(plan), frame, frameRate }
    return takeThumbnail(taken, { sandbox: node.sandbox, dir, signal })
  }
  const source = {
    pixels: { kind: 'media' as const, digest },
    open: () => fetchOriginal(digest, task),
  }
  const { sandbox, pixels } = node
  const [picture] = await loadPictures([source], { sandbox, pixels, dir, signal })
  if (!picture) throw new Error('A picture that was asked for must come. Got none')
  const { rgba, width, height } = picture
  const jpeg = jpegOf(sharp(rgba, { raw: { width, height, channels: 4 } }), givenSide)
  const written = join(dir, 'out', 'thumbnail')
  await writeFile(written, await jpeg.toBuffer())
  return written
}

/** At most `side` px a side, over white. */
export function jpegOf(picture: Sharp, side: number): Sharp {
  return picture
    .flatten({ background: '#ffffff' })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality })
}
