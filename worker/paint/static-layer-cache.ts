import { isDeepStrictEqual } from 'node:util'
import type { DrawCommand } from '../../core/timeline/draw.ts'
import type { Canvas, Context2D, Surface } from './canvas.ts'
import { paintCommands } from './commands.ts'
import type { PaintTools } from './paint-tools.ts'

/**
 * Cache of the static layers: the bottom commands that did not change since the last frame,
 * flattened into one bitmap. A frame repaints only the commands above. The result is the same pixel
 * by pixel; a backend that cannot guarantee this flattens nothing.
 */
export class StaticLayerCache {
  readonly #backend: Canvas
  readonly #width: number
  readonly #height: number
  #surface: Surface | undefined
  #previous: readonly DrawCommand[] = []
  /** Number of the previous frame's commands on the surface. */
  #flattened = 0

  constructor({ backend, width, height }: { backend: Canvas; width: number; height: number }) {
    this.#backend = backend
    this.#width = width
    this.#height = height
  }

  /** Paints the whole list on a fresh surface. */
  paint(context: Context2D, commands: readonly DrawCommand[], tools: PaintTools): void {
    this.#flatten(commands, tools)
    if (this.#surface && this.#flattened > 0) context.drawImage(this.#surface.bitmap, 0, 0)
    paintCommands(context, commands.slice(this.#flattened), { tools, offset: { x: 0, y: 0 } })
  }

  #flatten(commands: readonly DrawCommand[], tools: PaintTools): void {
    if (!this.#backend.layersAreExact) return
    const same = commonLength(this.#previous, commands)
    const flattened = this.#flattened <= same ? this.#flattened : 0
    const added = commands.slice(flattened, same)
    this.#previous = commands
    this.#flattened = flattened
    // A fill costs no more than drawing the flattened layers.
    if (added.every((command) => command.op === 'fill')) return
    // Stays 0 while painting, so that an error leaves no half-painted layer in use.
    this.#flattened = 0
    this.#surface ??= this.#backend.createSurface(this.#width, this.#height)
    const { context } = this.#surface
    if (flattened === 0) {
      context.reset()
      context.imageSmoothingQuality = 'low'
    }
    paintCommands(context, added, { tools, offset: { x: 0, y: 0 } })
    context.setTransform(1, 0, 0, 1, 0, 0)
    this.#flattened = same
  }
}

function commonLength(before: readonly DrawCommand[], now: readonly DrawCommand[]): number {
  const most = Math.min(before.length, now.length)
  for (let at = 0; at < most; at++) {
    if (before[at] !== now[at] && !isDeepStrictEqual(before[at], now[at])) return at
  }
  return most
}
