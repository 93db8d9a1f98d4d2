import { FarmError } from '../../core/errors.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { captionPixels } from '../../core/timeline/captions.ts'
import { type Pixels, pixelsName, type StillPixels } from '../../core/timeline/draw.ts'
import type { TaskContext } from '../context.ts'
import { readWhole } from '../files/read-whole.ts'
import { decodePicture, prepared } from '../media/decode-picture.ts'
import { loadPictures, type RawPicture } from '../media/picture.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { decodeUsualPng, sizeOfUsualPng } from '../png/index.ts'
import { isAnimationFrame } from './animation-frames.ts'
import { fetchOriginal } from './originals.ts'

/** Limit for loaded pictures, as RGBA: 400 million pixels. */
const storeMaxBytes = 1_600_000_000

/**
 * A picture of more than 16 million pixels is not cached for other tasks, as it would be the only
 * one.
 */
const cachedMaxBytes = 64 * 2 ** 20

/**
 * Store of a task's decoded pictures. A picture stays from the first range of frames that reads it
 * until the last one is done. Fetches are keyed by digest, drawn pictures by their `pixelsName`:
 * one photograph may be drawn with several keys.
 */
export class PictureStore {
  readonly #task: TaskContext
  readonly #drawn: ReadonlyMap<string, readonly StillPixels[]>
  readonly #loading = new Map<string, Promise<void>>()
  readonly #ready = new Map<string, Bitmap>()
  readonly #rangesLeft = new Map<string, number>()
  #bytes = 0

  /**
   * Counts the uses. `ranges`: the digests that each range of frames reads; each range acquires and
   * releases them once.
   */
  constructor(task: TaskContext, plan: Plan, ranges: readonly (readonly string[])[]) {
    this.#task = task
    this.#drawn = drawnPixels(plan)
    for (const digest of ranges.flat()) {
      this.#rangesLeft.set(digest, (this.#rangesLeft.get(digest) ?? 0) + 1)
    }
  }

  /** Resolves when all of them can be drawn. */
  async acquire(digests: readonly string[]): Promise<void> {
    const missing = digests.filter((digest) => !this.#loading.has(digest))
    const loading = this.#load(missing.flatMap((digest) => this.#drawn.get(digest) ?? []))
    for (const digest of missing) this.#loading.set(digest, loading)
    await Promise.all(digests.map((digest) => this.#loading.get(digest)))
  }

  release(digests: readonly string[]): void {
    for (const digest of digests) {
      const left = (this.#rangesLeft.get(digest) ?? 1) - 1
      this.#rangesLeft.set(digest, left)
      if (left > 0) continue
      for (const pixels of this.#drawn.get(digest) ?? []) this.#drop(pixelsName(pixels))
      this.#loading.delete(digest)
    }
  }

  /**
   * Returns a bitmap for the painter. @throws Error for a picture that was not acquired: the plan
   * named too few
   */
  bitmap(pixels: Pixels): Bitmap {
    const bitmap = this.#ready.get(pixelsName(pixels))
    if (bitmap) return bitmap
    throw new Error(`The plan must name every picture a segment reads. Got ${pixels.digest}`)
  }

  #drop(name: string): void {
    const bitmap = this.#ready.get(name)
    if (!bitmap) return
    this.#bytes -= bitmap.width * bitmap.height * 4
    this.#ready.delete(name)
  }

  async #load(all: readonly StillPixels[]): Promise<void> {
    const task = this.#task
    const { node, accountId, dir, signal } = task
    const fresh = all.filter((pixels) => !this.#takeDrawn(pixelsName(pixels)))
    const media = fresh.filter(({ kind }) => kind === 'media')
    node.metrics.cacheAsked('bitmaps', { hits: all.length - fresh.length, misses: fresh.length })
    let misses = 0
    const sources = media.map((pixels) => ({
      pixels,
      open: () => {
        misses += 1
        return fetchOriginal(pixels.digest, task)
      },
    }))
    const { decoders, pixels: cache, metrics } = node
    const work = { decoders, accountId, pixels: cache, dir, signal }
    const raws = await loadPictures(sources, work)
    metrics.cacheAsked('pixels', { hits: media.length - misses, misses })
    for (const pixels of fresh) {
      const name = pixelsName(pixels)
      const raw = raws[media.indexOf(pixels)] ?? (await loadBake(pixels, task))
      this.#admit(raw)
      const drawn = node.canvas.bitmapFromRgba(raw)
      this.#ready.set(name, drawn)
      if (raw.rgba.length <= cachedMaxBytes) node.bitmaps.set(name, drawn)
    }
  }

  /** Reuses a picture that another task of the node has drawn lately. */
  #takeDrawn(name: string): boolean {
    const drawn = this.#task.node.bitmaps.get(name)
    if (!drawn) return false
    this.#admit(drawn)
    this.#ready.set(name, drawn)
    return true
  }

  #admit({ width, height }: Bitmap): void {
    this.#bytes += width * height * 4
    if (this.#bytes <= storeMaxBytes) return
    throw new FarmError(
      'media_too_large',
      `Pictures shown within a few seconds must have at most ${storeMaxBytes / 4e6} million pixels together.`,
    )
  }
}

/** Loads a baked picture without a sandbox: the farm's own Chromium wrote it. */
async function loadBake(pixels: StillPixels, task: TaskContext): Promise<RawPicture> {
  const object =
    task.painted.get(pixels.digest) ?? (await readWhole(await fetchOriginal(pixels.digest, task)))
  const usual = readUsual(object)
  const picture = usual ? prepared(usual, pixels) : await decodePicture(object, pixels)
  const { raw, width, height } = picture
  return { rgba: raw, width, height }
}

/** Pixels of a line of words in large letters; larger pictures are decoded on another thread. */
const readHereMaxPixels = 500_000

/**
 * Decodes the usual format of elements. libvips takes longer to set up than to decode a small one.
 */
function readUsual(png: Buffer) {
  const size = sizeOfUsualPng(png)
  if (!size || size.width * size.height > readHereMaxPixels) return undefined
  const pixels = decodeUsualPng(png, size, (bytes) => Buffer.allocUnsafeSlow(bytes))
  return pixels && { ...size, raw: pixels.data }
}

/** Returns every distinct picture of the plan, by digest, except clips and animation frames. */
function drawnPixels({ timeline }: Plan): Map<string, StillPixels[]> {
  const all = [...timeline.elements, ...timeline.scenes.flatMap(({ elements }) => elements)]
  const drawn = all.flatMap(({ pixels }) =>
    pixels.kind === 'clip' || isAnimationFrame(pixels) ? [] : [pixels],
  )
  const stills = [...drawn, ...captionPixels(timeline)]
  const byName = new Map(stills.map((pixels) => [pixelsName(pixels), pixels]))
  return Map.groupBy(byName.values(), ({ digest }) => digest)
}
