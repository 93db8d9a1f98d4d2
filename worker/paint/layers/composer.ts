import { seenFrom } from '../../../core/plan/area.ts'
import type { Layer } from '../../../core/plan/layers.ts'
import type { DrawCommand, PictureCommand, Pixels } from '../../../core/timeline/draw.ts'
import type { Rect } from '../../../core/timeline/rect.ts'
import type { BitmapCache } from '../bounded-cache.ts'
import type { Bitmap, Canvas } from '../canvas.ts'
import { freePixels } from '../free-pixels.ts'
import { createPainter, type Painter } from '../painter.ts'
import { Pictures, type Sample } from '../pictures.ts'
import { isRowTooLong, LayerMemory, photoBytes, type Step, type Target } from './memory.ts'

/** Limit of the photographs in one composer's memory; a frame that needs more is painted. */
const photosMaxBytes = 64 * 2 ** 20
/** Empty: a photograph with a filter is not composed (core/plan/layers.ts). */
const nothingFiltered: ReadonlyMap<PictureCommand, Bitmap> = new Map()
/** Most cached painters of areas; an element that slides or stands still has one size. */
const paintersMax = 4
/** Most cached layers above: the last of each area. */
const abovesMax = 4

/**
 * Composes frames of photographs that move and fade without a canvas: WebAssembly scales and mixes
 * them and converts them to YUV in one memory (decision 0049). The same layers give the same bytes,
 * whatever was composed before.
 */
export class Composer {
  readonly #canvas: Canvas
  readonly #copies: BitmapCache
  readonly #bitmap: (pixels: Pixels) => Bitmap
  readonly #size: { readonly width: number; readonly height: number }
  readonly #pictures: Pictures
  /** Megabytes, so allocated on first use, no larger than needed. */
  #madeMemory: LayerMemory | undefined
  readonly #painters = new Map<string, Painter>()
  readonly #aboves = new Map<string, { readonly text: string; readonly rgba: Buffer }>()
  /**
   * Buffers replaced while the steps of a frame are collected, one of which may still show them.
   */
  readonly #outdated: Buffer[] = []

  constructor({
    canvas,
    copies,
    bitmap,
    width,
    height,
  }: {
    canvas: Canvas
    copies: BitmapCache
    bitmap: (pixels: Pixels) => Bitmap
    width: number
    height: number
  }) {
    this.#canvas = canvas
    this.#copies = copies
    this.#bitmap = bitmap
    this.#size = { width, height }
    this.#pictures = new Pictures({ backend: canvas, copies, bitmap, width, height })
  }

  /** Returns the previous frames' memory, unless these have more layers above their photographs. */
  #memoryFor(frames: readonly (readonly Layer[])[]): LayerMemory {
    const aboves = Math.max(0, ...frames.map(abovesIn))
    if (!this.#madeMemory?.takes(aboves)) {
      this.#madeMemory = new LayerMemory({ ...this.#size, photosMaxBytes, aboves })
    }
    return this.#madeMemory
  }

  /**
   * Returns whether the photographs of all these frames are opaque, and those of each frame fit.
   */
  async canCompose(frames: readonly (readonly Layer[])[]): Promise<boolean> {
    const memory = this.#memoryFor(frames)
    const opaque = new Set<Bitmap>()
    for (const layers of frames) {
      const photos = new Set(photosOf(layers).map((command) => this.#sampleOf(command).bitmap))
      const bytes = [...photos].reduce((sum, photo) => sum + photoBytes(photo), 0)
      if (bytes > photosMaxBytes || [...photos].some(isRowTooLong)) return false
      for (const photo of photos) {
        if (!opaque.has(photo) && !(await this.#keep(photo, memory))) return false
        opaque.add(photo)
      }
    }
    return true
  }

  /**
   * Returns the frame as planar YUV 4:2:0, BT.709, limited range; it stays valid until the call
   * after the next.
   */
  async compose(layers: readonly Layer[]): Promise<Buffer> {
    const memory = this.#memoryFor([layers])
    const steps = await this.#steps(layers, 'film')
    const photos = steps.flatMap((step) => (step.op === 'scale' ? [step.photo] : []))
    for (const photo of photos) {
      if (await this.#keep(photo, memory)) continue
      throw new Error('A photograph that was opaque must stay so')
    }
    // Loading the last one may have evicted the first.
    for (const photo of photos) await this.#keep(photo, memory)
    const made = memory.make(steps)
    for (const rgba of this.#outdated.splice(0)) freePixels(rgba)
    return made
  }

  async #steps(layers: readonly Layer[], to: Target): Promise<Step[]> {
    const steps: Step[] = []
    for (const layer of layers) {
      switch (layer.kind) {
        case 'photo':
          steps.push(this.#scale(layer.command, { weight: layer.weight, to }))
          break
        case 'above':
          steps.push({ op: 'over', rgba: await this.#above(layer), area: layer.area, to })
          break
        case 'mix':
          steps.push(...(await this.#steps(layer.layers, 'mixed')))
          steps.push({ op: 'mix', weight: layer.weight })
          break
        default:
          layer satisfies never
      }
    }
    return steps
  }

  #scale(command: PictureCommand, place: { weight: number; to: Target }): Step {
    const { bitmap: photo, source } = this.#sampleOf(command)
    const [a, , , d, e, f] = command.matrix
    const [x, y, width, height] = command.dest
    const across = { source: [source[0], source[2]], dest: [a * x + e, a * width] } as const
    const down = { source: [source[1], source[3]], dest: [d * y + f, d * height] } as const
    return { op: 'scale', photo, across, down, ...place }
  }

  #sampleOf(command: PictureCommand): Sample {
    return this.#pictures.sampleOfLevel(command, nothingFiltered)
  }

  /** Loads a photograph, evicting all others if necessary. Returns false when it is not opaque. */
  async #keep(photo: Bitmap, memory: LayerMemory): Promise<boolean> {
    if (memory.has(photo)) return true
    const rgba = await this.#canvas.readPixels(photo)
    const isOpaque = hasNoAlpha(rgba)
    if (isOpaque && !memory.keep(photo, rgba)) {
      memory.forget()
      memory.keep(photo, rgba)
    }
    freePixels(rgba)
    return isOpaque
  }

  /** Returns premultiplied RGBA of the area; unchanged commands are not painted again. */
  async #above({ commands, area }: { commands: readonly DrawCommand[]; area: Rect }) {
    const text = JSON.stringify(commands)
    const place = String(area)
    const last = this.#aboves.get(place)
    if (last?.text === text) return last.rgba
    const [, , width, height] = area
    const frame = { width, height, commands: seenFrom(commands, area) }
    const rgba = await this.#painterOf(width, height).paint(frame)
    if (last) this.#outdated.push(last.rgba)
    keepLast(this.#aboves, { key: place, value: { text, rgba }, most: abovesMax })
    return rgba
  }

  #painterOf(width: number, height: number): Painter {
    const key = `${width}x${height}`
    const painter =
      this.#painters.get(key) ??
      createPainter({
        ...{ backend: this.#canvas, copies: this.#copies, bitmap: this.#bitmap },
        ...{ width, height },
      })
    keepLast(this.#painters, { key, value: painter, most: paintersMax })
    return painter
  }
}

function photosOf(layers: readonly Layer[]): PictureCommand[] {
  return layers.flatMap((layer) =>
    layer.kind === 'photo' ? [layer.command] : layer.kind === 'mix' ? photosOf(layer.layers) : [],
  )
}

function abovesIn(layers: readonly Layer[]): number {
  return layers.reduce(
    (sum, layer) =>
      sum + (layer.kind === 'above' ? 1 : layer.kind === 'mix' ? abovesIn(layer.layers) : 0),
    0,
  )
}

function hasNoAlpha(rgba: Buffer): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false
  return true
}

/** Keeps the newest `most` entries of a map in the order of use. */
function keepLast<V>(
  map: Map<string, V>,
  { key, value, most }: { key: string; value: V; most: number },
): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
