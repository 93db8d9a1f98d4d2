import type { DrawCommand, TransitionCommand } from '../../core/timeline/draw.ts'
import { overlapOf, type Rect } from '../../core/timeline/rect.ts'
import type { PixelTransition } from '../../core/timeline/transitions/kinds.ts'
import { transitionOf } from '../../core/timeline/transitions/transitions.ts'
import type { Bitmap, Canvas } from './canvas.ts'
import type { Blended, BlendedTransitions, PaintCommands, PaintTools } from './paint-tools.ts'
import { areaBehind, blendPixels, straighten } from './pixel-blends.ts'
import type { SurfacePools } from './surface-pool.ts'
import { blendOf, isOpaqueOver, rectOf, seenOf } from './windows.ts'

type BlendContext = {
  readonly backend: Canvas
  readonly pools: SurfacePools
  /** Tools without blended transitions, which are computed here, inner ones first. */
  readonly paintTools: Omit<PaintTools, 'blended'>
  readonly paint: PaintCommands
}

/**
 * Computes the frame's transitions whose pixels must be read, before painting, as reading is slow.
 * `seen` is the visible part of the canvas: nothing outside is computed, however large the element.
 */
export async function blendTransitions(
  commands: readonly DrawCommand[],
  context: BlendContext & { seen: Rect },
): Promise<BlendedTransitions> {
  const blended = new Map<TransitionCommand, Blended>()
  await blendInto(blended, commands, context)
  return blended
}

async function blendInto(
  blended: Map<TransitionCommand, Blended>,
  commands: readonly DrawCommand[],
  context: BlendContext & { seen: Rect },
): Promise<void> {
  for (const command of commands) {
    if (command.op !== 'transition') continue
    const window = overlapOf(command.around ?? command.box, context.seen)
    if (!window) continue
    const transition = transitionOf(command.name)
    for (const side of ['from', 'to'] as const) {
      if (command[side].every(({ op }) => op !== 'transition')) continue
      const seen = seenOf(side, transition, { command, window })
      if (seen) await blendInto(blended, command[side], { ...context, seen })
    }
    if (command.progress <= 0 || command.progress >= 1) continue
    switch (transition.kind) {
      case 'mix':
      case 'mask':
      case 'pieces':
        break
      default: {
        const bitmap = await blend(command, transition, { context, blended, window })
        blended.set(command, { bitmap, window })
      }
    }
  }
}

async function blend(
  command: TransitionCommand,
  transition: PixelTransition,
  {
    context,
    blended,
    window,
  }: { context: BlendContext; blended: BlendedTransitions; window: Rect },
): Promise<Bitmap> {
  const { box } = command
  const settings = blendOf(transition, { command, window })
  const area = areaBehind(transition, settings)
  const source = { context, blended, rect: rectOf(box, area) }
  const { from, to } = sidesFor(transition, command)
  const [fromPixels, toPixels] = await Promise.all([readSide(from, source), readSide(to, source)])
  const pixels = blendPixels(transition, { area, from: fromPixels, to: toPixels }, settings)
  const isOpaque = isOpaqueOver(box, command.from) && isOpaqueOver(box, command.to)
  const straight = isOpaque ? pixels : straighten(pixels)
  const rgba = new Uint8Array(straight.buffer, straight.byteOffset, straight.byteLength)
  const [, , width, height] = window
  return context.backend.bitmapFromRgba({ width, height, rgba })
}

/** Returns the commands to paint and read for the transition. */
function sidesFor(
  transition: PixelTransition,
  command: TransitionCommand,
): { from: readonly DrawCommand[]; to: readonly DrawCommand[] } {
  if (transition.kind === 'blur') return { from: [], to: [{ ...command, name: 'fade' }] }
  if (transition.kind !== 'through') return command
  const weights = transition.weights(command.progress)
  return {
    from: weights.from > 0 ? command.from : [],
    to: weights.to > 0 ? command.to : [],
  }
}

/** Returns premultiplied pixels of the commands in `rect`. */
async function readSide(
  commands: readonly DrawCommand[],
  { context, blended, rect }: { context: BlendContext; blended: BlendedTransitions; rect: Rect },
): Promise<Int32Array> {
  const [left, top, width, height] = rect
  if (commands.length === 0) return new Int32Array(width * height)
  const scratch = context.pools.ofSize(width, height)
  const surface = scratch.take()
  const tools = { ...context.paintTools, scratch, blended }
  context.paint(surface.context, commands, { tools, offset: { x: -left, y: -top } })
  const { buffer, byteOffset } = await context.backend.readPixels(surface)
  scratch.give(surface)
  return new Int32Array(buffer, byteOffset, width * height)
}
