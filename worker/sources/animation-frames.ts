import { open } from 'node:fs/promises'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import {
  type DrawCommand,
  type Pixels,
  picturesOf,
  pixelsName,
  type StillPixels,
} from '../../core/timeline/draw.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import type { TaskContext } from '../context.ts'
import { decodePicture } from '../media/decode-picture.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { fetchOriginal } from './originals.ts'

/** Frame of an element that custom code moves: one of many pictures in one object. */
type AnimationPixels = StillPixels & { readonly slice: readonly [offset: number, bytes: number] }

/** Returns whether `pixels` are an animation frame. */
export function isAnimationFrame(pixels: Pixels): pixels is AnimationPixels {
  return pixels.kind === 'bake' && pixels.slice !== undefined
}

/**
 * Decodes the animation frames that a range of frames shows. It holds those of the current frame,
 * and those of the next one, which are decoded in the background.
 */
export class AnimationFrames {
  readonly #task: TaskContext
  readonly #timeline: Plan['timeline']
  readonly #end: number
  #decoding = new Map<string, Promise<Bitmap>>()
  #shown = new Map<string, Bitmap>()

  constructor(
    task: TaskContext,
    timeline: Plan['timeline'],
    range: Pick<Segment, 'start' | 'frames'>,
  ) {
    this.#task = task
    this.#timeline = timeline
    this.#end = range.start + range.frames
  }

  /** Resolves when all animation frames of frame `n` can be drawn; earlier ones are dropped. */
  async show(n: number): Promise<void> {
    const now = this.#framesOf(n)
    const soon = n + 1 < this.#end ? this.#framesOf(n + 1) : []
    const decoding = new Map<string, Promise<Bitmap>>()
    for (const pixels of [...now, ...soon]) {
      const name = pixelsName(pixels)
      if (decoding.has(name)) continue
      const bitmap = this.#decoding.get(name) ?? this.#decode(pixels)
      // The error surfaces when the animation frame is shown.
      bitmap.catch(() => undefined)
      decoding.set(name, bitmap)
    }
    this.#decoding = decoding
    const shown = new Map<string, Bitmap>()
    const names = now.map(pixelsName)
    const bitmaps = await allEnded(names.map((name) => decoding.get(name) as Promise<Bitmap>))
    for (const [at, name] of names.entries()) shown.set(name, bitmaps[at] as Bitmap)
    this.#shown = shown
  }

  /**
   * Returns a bitmap for the painter. @throws Error for an animation frame that is not shown now
   */
  bitmap(pixels: Pixels): Bitmap {
    const bitmap = this.#shown.get(pixelsName(pixels))
    if (bitmap) return bitmap
    throw new Error(
      `An animation frame must be shown before it is painted. Got ${pixelsName(pixels)}`,
    )
  }

  #framesOf(n: number): AnimationPixels[] {
    return animationFramesIn(describeFrame(this.#timeline, n).commands)
  }

  /** Decodes without a sandbox: the farm's own Chromium painted it and sharp wrote it. */
  async #decode(pixels: AnimationPixels): Promise<Bitmap> {
    const [offset, bytes] = pixels.slice
    const file = await open(await fetchOriginal(pixels.digest, this.#task))
    try {
      const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
      const { raw, ...size } = await decodePicture(buffer, pixels)
      return this.#task.node.canvas.bitmapFromRgba({ ...size, rgba: raw })
    } finally {
      await file.close()
    }
  }
}

function animationFramesIn(commands: readonly DrawCommand[]): AnimationPixels[] {
  return picturesOf(commands).flatMap(({ pixels }) => (isAnimationFrame(pixels) ? [pixels] : []))
}
