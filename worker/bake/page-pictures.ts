import { readFile } from 'node:fs/promises'
import { FarmError } from '../../core/errors.ts'
import type { PictureAttributes } from '../../core/markup/attributes.ts'
import { placedPictures } from '../../core/markup/placed-pictures.ts'
import type { BakeDocument } from '../../core/queue/tasks.ts'

/** Origin of the pictures in the page's documents; the baker answers its addresses from disk. */
export const pictureOrigin = 'https://pictures.farm'

/** A picture as the page gets it: a PNG that the farm has written. */
export type PagePicture = {
  /** Address below `pictureOrigin`; the same address never stands for other pixels. */
  readonly url: string
  readonly file: string
  /** Its pixels for each px of the picture; less than 1 where it was reduced. */
  readonly density: number
}

/** A document, and the pictures that it shows, by digest. */
export type DocumentToPaint = BakeDocument & {
  readonly files?: ReadonlyMap<string, PagePicture>
}

/** Attributes for a picture of a document's markup. CORS, so that code may read its pixels. */
export function pictureAttributes({ files }: DocumentToPaint): PictureAttributes {
  return placedPictures((digest) => {
    const picture = files?.get(digest)
    if (!picture) return undefined
    const { url, density } = picture
    // The page lays it out at its own size, however many pixels of it there are.
    const source = density === 1 ? { src: url } : { srcset: `${url} ${density}x` }
    return { crossorigin: 'anonymous', ...source }
  })
}

/** Pictures of the documents that a page shows now. */
export class PagePictures {
  #files = new Map<string, string>()
  #fault: unknown

  show(documents: readonly DocumentToPaint[]): void {
    const all = documents.flatMap(({ files }) => [...(files?.values() ?? [])])
    this.#files = new Map(all.map(({ url, file }) => [url, file]))
    this.#fault = undefined
  }

  clear(): void {
    this.#files.clear()
  }

  /** The bytes of an address; undefined when no document that is shown has it. */
  async read(url: string): Promise<Buffer | undefined> {
    const file = this.#files.get(url)
    if (file === undefined) return undefined
    try {
      return await readFile(file)
    } catch (error) {
      this.#fault = error
      return undefined
    }
  }

  /** The page would go on without it. */
  assertAllRead(): void {
    if (this.#fault === undefined) return
    throw new FarmError('internal', 'A picture of an element could not be read', {
      cause: this.#fault,
    })
  }
}

/** Decoded pictures that a page may hold at once, px. */
const pagePixelsMost = 64_000_000

/** Documents in their order, cut where a page has enough of them. */
export function pagesOf<T extends DocumentToPaint>(documents: readonly T[], most: number): T[][] {
  const pages: T[][] = []
  let pixels = 0
  for (const document of documents) {
    const own = pixelsOf(document)
    const page = pages.at(-1)
    if (page && page.length < most && (own === 0 || pixels + own <= pagePixelsMost)) {
      page.push(document)
      pixels += own
    } else {
      pages.push([document])
      pixels = own
    }
  }
  return pages
}

function pixelsOf({ pictures = [], files }: DocumentToPaint): number {
  return pictures.reduce((sum, { digest, width, height }) => {
    return sum + width * height * (files?.get(digest)?.density ?? 1) ** 2
  }, 0)
}
