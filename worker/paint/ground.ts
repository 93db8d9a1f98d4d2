import { isDeepStrictEqual } from 'node:util'
import type { DrawCommand } from '../../core/timeline/draw.ts'
import type { Canvas, Context2D, Surface } from './canvas.ts'
import { paintCommands } from './commands.ts'
import type { Studio } from './transition.ts'

/**
 * Cache of the static layers: the bottom commands that did not change since the last frame,
 * flattened into one bitmap. A frame repaints only the commands above. The result is the same pixel
 * by pixel; a backend that cannot guarantee this flattens nothing.
 */
export class Ground {
  readonly #backend: Canvas
  readonly #width: number
  readonly #height: number
  #surface: Surface | undefined
  #previous: readonly DrawCommand[] = []
  /** Number of the previous frame's commands on the surface. */
  #held = 0

  constructor({ backend, width, height }: { backend: Canvas; width: number; height: number }) {
    this.#backend = backend
    this.#width = width
    this.#height = height
  }

  /** Paints the whole list on a fresh surface. */
  paint(context: Context2D, commands: readonly DrawCommand[], studio: Studio): void {
    this.#hold(commands, studio)
    if (this.#surface && this.#held > 0) context.drawImage(this.#surface.bitmap, 0, 0)
    paintCommands(context, commands.slice(this.#held), { studio, offset: { x: 0, y: 0 } })
  }

  #hold(commands: readonly DrawCommand[], studio: Studio): void {
    if (!this.#backend.layersAreExact) return
    const same = commonLength(this.#previous, commands)
    const held = this.#held <= same ? this.#held : 0
    const added = commands.slice(held, same)
    this.#previous = commands
    this.#held = held
    // A fill costs no more than drawing the flattened layers.
    if (added.every((command) => command.op === 'fill')) return
    // Stays 0 while painting, so that an error leaves no half-painted layer in use.
    this.#held = 0
    this.#surface ??= this.#backend.createSurface(this.#width, this.#height)
    const { context } = this.#surface
    if (held === 0) {
      context.reset()
      context.imageSmoothingQuality = 'low'
    }
    paintCommands(context, added, { studio, offset: { x: 0, y: 0 } })
    context.setTransform(1, 0, 0, 1, 0, 0)
    this.#held = same
  }
}

function commonLength(before: readonly DrawCommand[], now: readonly DrawCommand[]): number {
  const most = Math.min(before.length, now.length)
  for (let at = 0; at < most; at++) {
    if (before[at] !== now[at] && !isDeepStrictEqual(before[at], now[at])) return at
  }
  return most
}
