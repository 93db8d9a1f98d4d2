import {
  type DrawCommand,
  type PictureCommand,
  type Pixels,
  picturesOf,
} from '../../core/timeline/draw.ts'
import type { Rect } from '../../core/timeline/rect.ts'
import { BitmapCache } from './bounded-cache.ts'
import type { Bitmap, Canvas } from './canvas.ts'
import { applyFilter } from './color-filter.ts'
import { croppedCopy, isOriginal, levelKey, reducedCopy } from './reduced-copies.ts'
import { type Blur, blurOf, isCut, isStill, levelOf, sourceInLevel } from './sampling.ts'

/** Source of a picture command: this part of this bitmap. */
export type Sample = { readonly bitmap: Bitmap; readonly source: Rect }

/** Filtered copies for one frame, held while it is painted. */
export type Filtered = ReadonlyMap<PictureCommand, Bitmap>

/** Limit for reduced, filtered and fitted copies together; the originals are the caller's. */
const copiesLimitBytes = 96 * 1024 * 1024

/**
 * Creates a cache for painters of one backend to share; pictures of the same digest must be the
 * same.
 */
export const createCopies = () => new BitmapCache(copiesLimitBytes)

/** A clip's frame is seldom drawn twice: this suffices for one frame of the film. */
const passingLimitBytes = 64 * 1024 * 1024

/** A picture drawn much larger than the canvas gets no copy at that size. */
const fittedToCanvasLimit = 2

/** Chooses and caches the copy from which each picture command is drawn. */
export class Pictures {
  readonly #backend: Canvas
  readonly #bitmap: (pixels: Pixels) => Bitmap
  readonly #fittedLimitPx: number
  readonly #copies: BitmapCache
  readonly #passing = new BitmapCache(passingLimitBytes)

  constructor(context: {
    backend: Canvas
    width: number
    height: number
    whole?: { width: number; height: number }
    bitmap: (pixels: Pixels) => Bitmap
    copies?: BitmapCache
  }) {
    this.#copies = context.copies ?? createCopies()
    this.#backend = context.backend
    this.#bitmap = context.bitmap
    const { width, height } = context.whole ?? context
    this.#fittedLimitPx = width * height * fittedToCanvasLimit
  }

  /** Prepares the filtered copies of a frame, before painting, as reading pixels back is slow. */
  async prepare(commands: readonly DrawCommand[]): Promise<Filtered> {
    const filtered = new Map<PictureCommand, Bitmap>()
    for (const command of picturesOf(commands)) {
      if (!command.filter) continue
      const original = this.#bitmap(command.pixels)
      const blur = blurOf(command, levelOf(command, original))
      const key = filteredKey(command, blur)
      const copies = this.#copiesOf(command.pixels)
      const bitmap = copies.get(key) ?? copies.set(key, await this.#filter(command, original, blur))
      filtered.set(command, bitmap)
    }
    return filtered
  }

  /**
   * Returns the source of a command. A static picture is scaled once; a moving one or a clip is
   * sampled from its level.
   */
  sampleOf(command: PictureCommand, filtered: Filtered): Sample {
    const sample = this.sampleOfLevel(command, filtered)
    const { dest, matrix } = command
    const [, , width, height] = dest
    const isClip = command.pixels.kind === 'clip'
    if (isPixelForPixel(sample.source, dest) || isClip || !isStill(matrix, dest)) return sample
    if (width * height > this.#fittedLimitPx) return sample
    const blur = blurOf(command, levelOf(command, this.#bitmap(command.pixels)))
    const key = `${filteredKey(command, blur)} ${command.source} ${width}x${height}`
    const bitmap = this.#copies.getOrMake(key, () => {
      const surface = this.#backend.createSurface(width, height)
      surface.context.imageSmoothingQuality = 'low'
      surface.context.drawImage(sample.bitmap, ...sample.source, 0, 0, width, height)
      return surface.bitmap
    })
    return { bitmap, source: [0, 0, width, height] }
  }

  /** Returns the source of a command without scaling ahead. */
  sampleOfLevel(command: PictureCommand, filtered: Filtered): Sample {
    const { pixels, source } = command
    const original = this.#bitmap(pixels)
    const level = levelOf(command, original)
    const ready = filtered.get(command)
    if (ready) {
      return { bitmap: ready, source: sourceInLevel(source, blurOf(command, level).level) }
    }
    const isPlain = isStill(command.matrix, command.dest) && isPixelForPixel(source, command.dest)
    if (isOriginal(level) && (isPlain || !isCut(level, original)))
      return { bitmap: original, source }
    const reduction = this.#reductionOf(pixels, original)
    if (isOriginal(level))
      return { bitmap: croppedCopy(reduction, level), source: sourceInLevel(source, level) }
    return { bitmap: reducedCopy(reduction, level), source: sourceInLevel(source, level) }
  }

  #copiesOf({ kind }: Pixels): BitmapCache {
    return kind === 'clip' ? this.#passing : this.#copies
  }

  #reductionOf(pixels: Pixels, original: Bitmap) {
    return { backend: this.#backend, copies: this.#copiesOf(pixels), pixels, original }
  }

  async #filter(command: PictureCommand, original: Bitmap, blur: Blur): Promise<Bitmap> {
    const { pixels, filter = {} } = command
    const { level, sigma } = blur
    const reduction = this.#reductionOf(pixels, original)
    const bitmap = isOriginal(level) ? original : reducedCopy(reduction, level)
    const [left, top, width, height] = isOriginal(level)
      ? level.crop
      : [0, 0, bitmap.width, bitmap.height]
    const surface = this.#backend.createSurface(width, height)
    surface.context.drawImage(bitmap, left, top, width, height, 0, 0, width, height)
    const rgba = await this.#backend.readPixels(surface)
    return this.#backend.bitmapFromRgba(applyFilter({ width, height, rgba }, filter, sigma))
  }
}

function isPixelForPixel(source: Rect, [, , width, height]: Rect): boolean {
  return source[2] === width && source[3] === height && source.every(Number.isInteger)
}

function filteredKey({ pixels, filter }: PictureCommand, { level, sigma }: Blur): string {
  return `${levelKey(pixels, level)} ${JSON.stringify(filter)} ${sigma.x},${sigma.y}`
}
