import type { DrawCommand, TransitionCommand } from '../../core/timeline/draw.ts'
import { overlapOf, type Rect } from '../../core/timeline/rect.ts'
import { paddingOf, piecesAround } from '../../core/timeline/transitions/around.ts'
import type { Mask, Mix, Pieces, Side } from '../../core/timeline/transitions/kinds.ts'
import { transitionOf } from '../../core/timeline/transitions/transitions.ts'
import type { Bitmap, Context2D, Surface } from './canvas.ts'
import type { PaintCommands, PaintTools } from './paint-tools.ts'
import { clipTo, type Offset, paintPicture } from './picture.ts'
import { areaIn, isOpaqueOver } from './windows.ts'

/**
 * Context of painting. `paint` runs the commands of a side, which may contain transitions again.
 */
type PaintTarget = {
  readonly tools: PaintTools
  readonly offset: Offset
  readonly paint: PaintCommands
}

type Sides = Readonly<Record<Side, readonly DrawCommand[]>>

/** Weight of `to` in the pixels of `box`: one value, or a mask of its size. */
type Blend = { readonly box: Rect } & (
  | { readonly kind: 'even'; readonly weight: number }
  | { readonly kind: 'masked'; readonly mask: Bitmap }
)

/**
 * Paints a transition over what lies below. It blends premultiplied pixels: from * (1 - weight) +
 * to * weight, which is opaque where both sides are.
 */
export function paintTransition(
  context: Context2D,
  command: TransitionCommand,
  target: PaintTarget,
): void {
  const { name, progress, box, around = box, from, to } = command
  const transition = transitionOf(name)
  const { scratch } = target.tools
  const surface = [-target.offset.x, -target.offset.y, scratch.width, scratch.height] as const
  const window = overlapOf(around, surface)
  if (!window) return
  if (progress <= 0 || progress >= 1) {
    paintSide(context, progress <= 0 ? from : to, { target, box: around })
    return
  }
  switch (transition.kind) {
    case 'pieces':
      paintPieces(context, command, { target, transition })
      break
    case 'mask':
      paintMasked(context, command, { target, transition, window })
      break
    case 'mix':
      paintMix(context, command, { target, transition })
      break
    default:
      paintBlended(context, command, target)
  }
}

function paintBlended(
  context: Context2D,
  command: TransitionCommand,
  { tools, offset }: PaintTarget,
): void {
  const ready = tools.blended.get(command)
  if (!ready) return
  context.setTransform(1, 0, 0, 1, offset.x, offset.y)
  context.drawImage(ready.bitmap, ready.window[0], ready.window[1])
}

function paintMasked(
  context: Context2D,
  { name, progress, box, from, to }: TransitionCommand,
  { target, transition, window }: { target: PaintTarget; transition: Mask; window: Rect },
): void {
  const shown = { from, to, black: blackOver(box) }
  const [first, second] = transition.sources(progress)
  const mask = target.tools.masks.maskOf({
    name,
    transition,
    size: { width: box[2], height: box[3] },
    window: areaIn(box, window),
    progress,
  })
  const sides = { from: shown[first], to: shown[second] }
  paintBlend(context, sides, { target, blend: { kind: 'masked', box: window, mask } })
}

function paintMix(
  context: Context2D,
  { progress, box, around = box, from, to }: TransitionCommand,
  { target, transition }: { target: PaintTarget; transition: Mix },
): void {
  // Rounds to 255ths, so that the weights of both sides are exact and sum to 1.
  const weight = Math.round(transition.weight(progress) * 255) / 255
  paintBlend(context, { from, to }, { target, blend: { kind: 'even', box: around, weight } })
}

function blackOver(rect: Rect): readonly DrawCommand[] {
  return [{ op: 'fill', rect, color: '#000000' }]
}

/** Paints a side unchanged, clipped to `box`. */
function paintSide(
  context: Context2D,
  commands: readonly DrawCommand[],
  { target, box }: { target: PaintTarget; box: Rect },
): void {
  if (commands.length === 0) return
  clipTo(context, box, target.offset)
  target.paint(context, commands, target)
  context.restore()
}

function paintPieces(
  context: Context2D,
  command: TransitionCommand,
  { target, transition }: { target: PaintTarget; transition: Pieces },
): void {
  const { progress, box, around = box } = command
  const [left, top, width, height] = box
  const size = { width, height }
  const pieces = piecesAround(transition.pieces(size, progress), size, paddingOf(box, around))
  for (const { source, clip, dx, dy } of pieces) {
    const commands = source === 'black' ? blackOver(box) : command[source]
    if (commands.length === 0 || clip[2] <= 0 || clip[3] <= 0) continue
    clipTo(context, [left + clip[0], top + clip[1], clip[2], clip[3]], target.offset)
    const offset = { x: target.offset.x + dx, y: target.offset.y + dy }
    target.paint(context, commands, { tools: target.tools, offset })
    context.restore()
  }
}

/**
 * Paints the blend in the cheapest way, over the surface's content:
 * - one picture on nothing: the picture at a lower opacity;
 * - one side empty, or the other opaque all over the box: the first straight onto the surface, the
 *   other weighted over it, for which source-over is exact;
 * - otherwise both sides weighted and added on a surface of their own.
 */
function paintBlend(
  context: Context2D,
  sides: Sides,
  { target, blend }: { target: PaintTarget; blend: Blend },
): void {
  const { from, to } = sides
  const { box } = blend
  const single = from.length === 0 ? to : to.length === 0 ? from : []
  const [only] = single
  if (blend.kind === 'even' && single.length === 1 && only?.op === 'picture') {
    clipTo(context, box, target.offset)
    const fade = from.length === 0 ? blend.weight : 1 - blend.weight
    paintPicture(context, only, { ...target.tools, offset: target.offset, fade })
    context.restore()
    return
  }
  if (from.length === 0 && to.length === 0) return
  const under = mayLieUnder(from, to, box) ? 'from' : mayLieUnder(to, from, box) ? 'to' : undefined
  if (under) paintSide(context, sides[under], { target, box })
  const scratch = weighted(sides, under === 'to' ? 'from' : 'to', { target, blend })
  if (!under) {
    const other = weighted(sides, 'from', { target, blend })
    addOnto(scratch.context, other.bitmap)
    target.tools.scratch.give(other)
  }
  clipTo(context, box, target.offset)
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.drawImage(scratch.bitmap, 0, 0)
  context.restore()
  target.tools.scratch.give(scratch)
}

/**
 * Returns whether `side` may be painted unweighted under `other`: it is empty, or fully covered.
 */
function mayLieUnder(
  side: readonly DrawCommand[],
  other: readonly DrawCommand[],
  box: Rect,
): boolean {
  return side.length === 0 || isOpaqueOver(box, other)
}

/** Returns a scratch surface with one side, clipped to the box, times its weight. */
function weighted(
  sides: Sides,
  side: Side,
  { target, blend }: { target: PaintTarget; blend: Blend },
): Surface {
  const { box } = blend
  const surface = target.tools.scratch.take()
  const { context } = surface
  paintSide(context, sides[side], { target, box })
  context.setTransform(1, 0, 0, 1, target.offset.x, target.offset.y)
  context.globalCompositeOperation = side === 'to' ? 'destination-in' : 'destination-out'
  clipTo(context, box, target.offset)
  if (blend.kind === 'even') {
    context.fillStyle = '#000000'
    context.globalAlpha = blend.weight
    context.fillRect(...box)
  } else {
    // A mask along one axis is one pixel wide: nearest sampling repeats it exactly.
    context.imageSmoothingEnabled = false
    const { mask } = blend
    context.drawImage(mask, 0, 0, mask.width, mask.height, ...box)
  }
  context.restore()
  context.globalCompositeOperation = 'source-over'
  return surface
}

function addOnto(context: Context2D, bitmap: Bitmap): void {
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalCompositeOperation = 'lighter'
  context.drawImage(bitmap, 0, 0)
}
