import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { thumbnailPixels, thumbnailSegment } from '../../core/plan/inputs.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { type SegmentFile, takeThumbnail } from '../encode/join.ts'
import { paintFrame, type RawPixels } from '../frames/paint-frame.ts'
import { loadPictures } from '../media/picture.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { fetchOriginal } from '../sources/originals.ts'

const quality = 85

/** Writes the film's thumbnail to `to`, as a jpg: the customer's picture, or the plan's frame. */
export async function writeThumbnail(
  { plan, segments, to }: { plan: Plan; segments: readonly SegmentFile[]; to: string },
  task: TaskContext,
): Promise<void> {
  const { thumbnailPicture, thumbnailFrame } = plan.output
  if (thumbnailPicture !== undefined) return givenThumbnail(thumbnailPicture, to, task)
  const pictures = thumbnailPixels(plan)
  if (pictures === undefined) return seenThumbnail({ plan, segments }, task)
  const { pixels, small } = await paintFrame(plan, { frame: thumbnailFrame, pictures }, task)
  freePixels(pixels)
  await writeFile(to, await thumbnailOf(small))
}

/** Takes the thumbnail from the segment that shows it, so that no clip is decoded again. */
async function seenThumbnail(
  { plan, segments }: { plan: Plan; segments: readonly SegmentFile[] },
  { node, dir, signal }: TaskContext,
): Promise<void> {
  const { timeline, output } = plan
  const shown = thumbnailSegment(plan)
  const segment = segments.find(({ index }) => index === shown?.index)
  if (!shown || !segment) {
    throw new Error(`A film must show its thumbnail's frame ${output.thumbnailFrame}. It does not`)
  }
  const frame = output.thumbnailFrame - shown.start
  const work = { sandbox: node.sandbox, dir, signal }
  await takeThumbnail({ ...timeline, file: segment.file, frame }, work)
}

/** Longest side of a customer's thumbnail, px: as large as a film may be on most plans. */
const givenSide = 1920

async function givenThumbnail(digest: string, to: string, task: TaskContext): Promise<void> {
  const { node, accountId, dir, signal } = task
  const source = {
    pixels: { kind: 'media' as const, digest },
    open: () => fetchOriginal(digest, task),
  }
  const { decoders, pixels } = node
  const work = { decoders, accountId, pixels, dir, signal }
  const [picture] = await loadPictures([source], work)
  if (!picture) throw new Error('A requested picture must arrive. Got none')
  const { rgba, width, height } = picture
  const jpeg = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#ffffff' })
    .resize({ width: givenSide, height: givenSide, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality })
    .toBuffer()
  await writeFile(to, jpeg)
}

/**
 * Encodes as a jpg, and frees the pixels' memory. It uses the standard code tables: optimised ones
 * would make the file 4 % smaller and take a third of the time.
 */
export async function thumbnailOf({ pixels, width, height }: RawPixels): Promise<Buffer> {
  const raw = { width, height, channels: 4 } as const
  const jpeg = await sharp(pixels, { raw })
    .removeAlpha()
    .jpeg({ quality, optimiseCoding: false })
    .toBuffer()
  freePixels(pixels)
  return jpeg
}
