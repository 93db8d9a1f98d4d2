import { readFile } from 'node:fs/promises'
import { FarmError } from '../../core/errors.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import type { TaskContext } from '../context.ts'
import { decodePicture } from '../media/decode-picture.ts'
import { loadPictures, type RawPicture } from '../media/picture.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { fetchOriginal } from './originals.ts'

/** Pictures that are on the shelf at once, as RGBA: 400 million pixels. */
const shelfMaxBytes = 1_600_000_000

/**
 * The decoded pictures of a task. One stands on the shelf from the first range of frames that reads
 * it until the last one is done.
 */
export class PictureShelf {
  readonly #task: TaskContext
  readonly #bakes: ReadonlySet<string>
  readonly #loading = new Map<string, Promise<void>>()
  readonly #ready = new Map<string, Bitmap>()
  readonly #rangesLeft = new Map<string, number>()
  #bytes = 0

  /** `ranges`: the digests that each range of frames reads; `take` and `giveBack` once for each. */
  constructor(task: TaskContext, plan: Plan, ranges: readonly (readonly string[])[]) {
    this.#task = task
    this.#bakes = bakesOf(plan)
    for (const digest of ranges.flat()) {
      this.#rangesLeft.set(digest, (this.#rangesLeft.get(digest) ?? 0) + 1)
    }
  }

  /** Resolves when all of them can be drawn. */
  async take(digests: readonly string[]): Promise<void> {
    const missing = digests.filter((digest) => !this.#loading.has(digest))
    const loading = this.#load(missing)
    for (const digest of missing) this.#loading.set(digest, loading)
    await Promise.all(digests.map((digest) => this.#loading.get(digest)))
  }

  giveBack(digests: readonly string[]): void {
    for (const digest of digests) {
      const left = (this.#rangesLeft.get(digest) ?? 1) - 1
      this.#rangesLeft.set(digest, left)
      const bitmap = this.#ready.get(digest)
      if (left > 0 || !bitmap) continue
      this.#bytes -= bitmap.width * bitmap.height * 4
      this.#ready.delete(digest)
      this.#loading.delete(digest)
    }
  }

  /** For the painter. Throws for a picture that was not taken: the plan named too few. */
  bitmap({ digest }: Pixels): Bitmap {
    const bitmap = this.#ready.get(digest)
    if (!bitmap) throw new Error(`The plan must name every picture a segment reads. Got ${digest}`)
    return bitmap
  }

  async #load(digests: readonly string[]): Promise<void> {
    const task = this.#task
    const { node, dir, signal } = task
    const media = digests.filter((digest) => !this.#bakes.has(digest))
    const sources = media.map((digest) => ({ digest, open: () => fetchOriginal(digest, task) }))
    const { sandbox, pixels } = node
    const raws = await loadPictures(sources, { sandbox, pixels, dir, signal })
    for (const digest of digests) {
      const raw = raws[media.indexOf(digest)] ?? (await loadBake(digest, task))
      this.#admit(raw)
      this.#ready.set(digest, node.canvas.bitmapFromRgba(raw))
    }
  }

  #admit({ rgba }: RawPicture): void {
    this.#bytes += rgba.length
    if (this.#bytes <= shelfMaxBytes) return
    throw new FarmError(
      'media_too_large',
      `Pictures shown within a few seconds must have at most ${shelfMaxBytes / 4e6} million pixels together.`,
    )
  }
}

/** The farm's own Chromium wrote these: no stranger's file, so no sandbox. */
async function loadBake(digest: string, task: TaskContext): Promise<RawPicture> {
  const { raw, ...size } = await decodePicture(await readFile(await fetchOriginal(digest, task)))
  return { ...size, rgba: raw }
}

/** A digest that is also a customer's picture counts as one. */
function bakesOf({ timeline }: Plan): Set<string> {
  const all = [...timeline.elements, ...timeline.scenes.flatMap(({ elements }) => elements)]
  const bakes = all.filter(({ pixels }) => pixels.kind === 'bake')
  const media = all.filter(({ pixels }) => pixels.kind === 'media')
  const digests = new Set(bakes.map(({ pixels }) => pixels.digest))
  for (const { pixels } of media) digests.delete(pixels.digest)
  return digests
}
