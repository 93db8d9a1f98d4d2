import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import { maxPictureEdge } from '../../core/markup/rules.ts'
import type { BakeDocument } from '../../core/queue/tasks.ts'
import type { Size } from '../../core/timeline/rect.ts'
import { type DocumentToPaint, type PagePicture, pictureOrigin } from '../bake/page-pictures.ts'
import type { TaskContext } from '../context.ts'
import { isMissing } from '../files/disk-cache.ts'
import { diskFullMessage } from '../files/disk-space.ts'
import { linkOrCopy } from '../files/link-or-copy.ts'
import { scratchOf } from '../files/scratch.ts'
import { loadPictures, type RawPicture } from '../media/picture.ts'
import { fetchOriginal } from '../sources/originals.ts'

type Picture = NonNullable<BakeDocument['pictures']>[number]
/** Pixels of a document's pictures together: twice what the largest canvas shows of them. */
const documentPixelsMost = 32_000_000

/**
 * Adds to documents the pictures that they show, as PNGs in the task's scratch directory. The fenced
 * decoder of IMAGE visuals reads them, so the browser gets no customer's file.
 */
export async function withPictures(
  documents: readonly BakeDocument[],
  task: TaskContext,
): Promise<DocumentToPaint[]> {
  const ready: DocumentToPaint[] = []
  const made = new Map<string, Promise<string>>()
  for (const document of documents) {
    const { pictures = [], field } = document
    if (pictures.length === 0) {
      ready.push(document)
      continue
    }
    const files = new Map<string, PagePicture>()
    const share = shareOf(pictures)
    for (const picture of pictures) {
      const { digest } = picture
      const size = reduced(picture, share)
      const name = `${digest}.${size.width}x${size.height}`
      const file = made.get(name) ?? pngFile(digest, { size, name, field, task })
      made.set(name, file)
      const density = size.width / picture.width
      files.set(digest, { url: `${pictureOrigin}/${name}.png`, file: await file, density })
    }
    ready.push({ ...document, files })
  }
  return ready
}

/** Returns the factor for every edge that leaves all pictures together few enough pixels. */
function shareOf(pictures: readonly Picture[]): number {
  const pixels = pictures.reduce((sum, picture) => {
    const { width, height } = reduced(picture, 1)
    return sum + width * height
  }, 0)
  return Math.min(1, Math.sqrt(documentPixelsMost / pixels))
}

/** Fewer steps between nothing and the whole size would waste pixels. */
const exactStepsLeast = 64

/** Returns a size of the same proportions where there is one, as its own size is laid out by them. */
function reduced({ width, height }: Size, share: number): Size {
  const scale = Math.min(1, maxPictureEdge / Math.max(width, height)) * share
  if (scale === 1) return { width, height }
  const steps = commonDivisor(width, height)
  const exact = Math.floor(steps * scale)
  if (exact >= exactStepsLeast) {
    return { width: (width / steps) * exact, height: (height / steps) * exact }
  }
  const edge = (px: number) => Math.max(1, Math.round(px * scale))
  return { width: edge(width), height: edge(height) }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

async function pngFile(
  digest: string,
  { size, name, field, task }: { size: Size; name: string; field: string; task: TaskContext },
): Promise<string> {
  const { node } = task
  // Another engine may decode to other pixels.
  const cached = `page.${name}.${engineVersion}`
  const dir = await scratchOf(task)
  const file = join(dir, `page-${name}.png`)
  const found = await node.pixels.find(cached)
  const kept = found ?? (await node.pixels.adopt(cached, await writePng(digest, { size, task })))
  try {
    // A name of its own: the cache may evict the file before the page asks for it.
    await linkOrCopy(kept, file)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new FarmError('disk_full', diskFullMessage, { cause: error, field })
  }
  return file
}

async function writePng(
  digest: string,
  { size, task }: { size: Size; task: TaskContext },
): Promise<string> {
  const { node, accountId, dir, signal } = task
  const open = () => fetchOriginal(digest, task)
  const work = { decoders: node.decoders, accountId, pixels: node.pixels, dir, signal }
  const [raw] = await loadPictures([{ pixels: { kind: 'media', digest }, open }], work)
  if (!raw) throw new Error(`The picture ${digest} must be there when it was loaded`)
  const pixels = await resized(raw, size)
  const png = await node.pngs.write({ pixels, ...size, channels: 4 }, accountId)
  const file = join(dir, `page-${randomUUID()}.png`)
  await writeFile(file, png)
  return file
}

async function resized({ width, height, rgba }: RawPicture, size: Size): Promise<Buffer> {
  if (width === size.width && height === size.height) return rgba
  return await sharp(rgba, { raw: { width, height, channels: 4 } })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer()
}
