import type { Canvas, Image } from '@napi-rs/canvas'
import { loadSheetCanvas, sheetLook } from '../../runtime/sheet-canvas.ts'
import type { Library, LibraryItem } from './catalogue.ts'

/** Most examples on one sheet. */
export const sheetMost = 12

/** 36,000 characters of base64, which programs that count pictures as text still take. */
const maxBytes = 27_000
/** Longer edges of a picture in px, the preferred first, and the JPEG qualities of each. */
const pictureSizes = [160, 140, 120, 100]
const qualities = [92, 88, 84, 80, 75, 70, 65, 60, 55, 50]

/** Px between pictures, height of the line with the slug, and its baseline in it. */
const [gap, labelHeight, labelBaseline] = [8, 28, 16]
const columnsMost = 4

/** Sheets that are kept; a search for other words often finds the same examples. */
const keptMost = 100

/** Draws examples on sheets, one after the other: strangers may ask for many. */
export function createSheetPainter(library: () => Library) {
  const kept = new Map<string, Promise<Buffer>>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Returns the JPEG of these examples, at most 27,000 bytes, in the highest quality that fits. */
    paint(examples: readonly LibraryItem[]): Promise<Buffer> {
      const name = examples.map(({ slug }) => slug).join(' ')
      const known = kept.get(name)
      if (known) return known
      const painted = last.then(async () => await paintSheet(library(), examples))
      last = painted.catch(() => kept.delete(name))
      if (kept.size >= keptMost) kept.delete(kept.keys().next().value ?? '')
      kept.set(name, painted)
      return painted
    },
  }
}

async function paintSheet(library: Library, examples: readonly LibraryItem[]): Promise<Buffer> {
  const { loadImage } = await loadSheetCanvas()
  const { bestJpeg } = await import('../../runtime/best-jpeg.ts')
  const files = examples.flatMap((example) => {
    const thumbnail = library.thumbnail(example)
    return thumbnail ? [{ slug: example.slug, bytes: Buffer.from(thumbnail.bytes) }] : []
  })
  const pictures = await Promise.all(
    files.map(async ({ slug, bytes }) => ({ slug, picture: await loadImage(bytes) })),
  )
  for (const size of pictureSizes) {
    const canvas = await drawSheet(pictures, size)
    const { width, height } = canvas
    const drawn = { pixels: canvas.data(), width, height }
    const best = await bestJpeg(drawn, { to: { width, height }, qualities, maxBytes })
    if (best) return best.jpeg
  }
  throw new Error(`A sheet of ${examples.length} examples must fit ${maxBytes} bytes`)
}

type Labelled = { readonly slug: string; readonly picture: Image }

/** Fits each picture into a square of `size` px, and writes its slug below. */
async function drawSheet(pictures: readonly Labelled[], size: number): Promise<Canvas> {
  const { createCanvas } = await loadSheetCanvas()
  const columns = Math.min(columnsMost, pictures.length)
  const rows = Math.ceil(pictures.length / columns)
  const cell = { width: size + gap, height: size + gap + labelHeight }
  const canvas = createCanvas(columns * cell.width + gap, rows * cell.height)
  const context = canvas.getContext('2d')
  context.fillStyle = sheetLook.background
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.fillStyle = sheetLook.label
  context.font = sheetLook.font
  context.textAlign = 'center'
  for (const [i, { slug, picture }] of pictures.entries()) {
    const scale = size / Math.max(picture.width, picture.height)
    const [width, height] = [picture.width * scale, picture.height * scale]
    const middle = gap + (i % columns) * cell.width + size / 2
    const top = gap + Math.floor(i / columns) * cell.height
    context.drawImage(picture, middle - width / 2, top + (size - height) / 2, width, height)
    context.fillText(slug, middle, top + size + labelBaseline)
  }
  return canvas
}
