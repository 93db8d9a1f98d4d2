import type { DrawCommand, Rect, TransitionCommand } from '../../core/timeline/draw.ts'
import {
  isTransitionName,
  type Side,
  type Transition,
  type TransitionName,
  transitionNames,
  transitionOf,
} from '../../core/timeline/transitions.ts'
import type { Bitmap, Context2D, Surface } from './canvas.ts'
import type { Masks } from './masks.ts'
import { clipTo, type Offset, paintPicture } from './picture.ts'
import type { Filtered, Pictures } from './pictures.ts'
import type { SurfacePool } from './surface-pool.ts'

/** What painting one frame needs; nothing in it changes a pixel. */
export type Studio = {
  readonly pictures: Pictures
  readonly filtered: Filtered
  readonly masks: Masks
  /** Surfaces as large as the canvas, for what must be combined before it is drawn. */
  readonly scratch: SurfacePool
}

type PaintCommands = (
  context: Context2D,
  commands: readonly DrawCommand[],
  place: { studio: Studio; offset: Offset },
) => void

/** `paint` runs the commands of a side, which may hold transitions again. */
type Place = { readonly studio: Studio; readonly offset: Offset; readonly paint: PaintCommands }

/** How the weight of `to` reaches the pixels of the box: one value, or a mask of the box's size. */
type Blend =
  | { readonly kind: 'even'; readonly weight: number }
  | { readonly kind: 'masked'; readonly mask: Bitmap }

/**
 * Paints a transition over what lies below. Blending is of premultiplied pixels:
 * from * (1 - weight) + to * weight, which is opaque where both sides are.
 */
export function paintTransition(
  context: Context2D,
  command: TransitionCommand,
  place: Place,
): void {
  const { name, progress, box, from, to } = command
  if (!isTransitionName(name)) {
    throw new Error(`A transition must be one of ${transitionNames.join(', ')}. Got ${name}`)
  }
  if (box[2] <= 0 || box[3] <= 0) return
  if (progress <= 0 || progress >= 1) {
    paintSide(context, progress <= 0 ? from : to, { place, box })
    return
  }
  const transition = transitionOf(name)
  if (transition.kind === 'pieces') {
    paintPieces(context, command, { place, transition })
    return
  }
  paintBlend(context, command, { place, blend: blendOf(name, { transition, command, place }) })
}

function blendOf(
  name: TransitionName,
  {
    transition,
    command: { progress, box },
    place,
  }: {
    transition: Exclude<Transition, { kind: 'pieces' }>
    command: TransitionCommand
    place: Place
  },
): Blend {
  if (transition.kind === 'mix') {
    // In 255ths, so that the weights of both sides are exact and sum to 1.
    return { kind: 'even', weight: Math.round(transition.weight(progress) * 255) / 255 }
  }
  const [, , width, height] = box
  return {
    kind: 'masked',
    mask: place.studio.masks.maskOf({ name, transition, width, height, progress }),
  }
}

/** A side as it is, cut off at `box`. */
function paintSide(
  context: Context2D,
  commands: readonly DrawCommand[],
  { place, box }: { place: Place; box: Rect },
): void {
  if (commands.length === 0) return
  clipTo(context, box, place.offset)
  place.paint(context, commands, place)
  context.restore()
}

function paintPieces(
  context: Context2D,
  command: TransitionCommand,
  { place, transition }: { place: Place; transition: Extract<Transition, { kind: 'pieces' }> },
): void {
  const { progress, box } = command
  const [left, top, width, height] = box
  for (const { side, clip, dx, dy } of transition.pieces({ width, height }, progress)) {
    const commands = command[side]
    if (commands.length === 0 || clip[2] <= 0 || clip[3] <= 0) continue
    clipTo(context, [left + clip[0], top + clip[1], clip[2], clip[3]], place.offset)
    const offset = { x: place.offset.x + dx, y: place.offset.y + dy }
    place.paint(context, commands, { studio: place.studio, offset })
    context.restore()
  }
}

/**
 * The cheapest way that gives the blend, `below` being what the surface holds already:
 * - one picture and nothing: the picture at a lower opacity;
 * - one side empty, or the other opaque all over the box: the one straight onto the surface, the
 *   other weighted over it; source-over is the blend then, without remainder;
 * - otherwise both sides weighted and added on a surface of their own.
 */
function paintBlend(
  context: Context2D,
  command: TransitionCommand,
  { place, blend }: { place: Place; blend: Blend },
): void {
  const { box, from, to } = command
  const single = from.length === 0 ? to : to.length === 0 ? from : []
  const [only] = single
  if (blend.kind === 'even' && single.length === 1 && only?.op === 'picture') {
    clipTo(context, box, place.offset)
    const fade = from.length === 0 ? blend.weight : 1 - blend.weight
    paintPicture(context, only, { ...place.studio, offset: place.offset, fade })
    context.restore()
    return
  }
  if (from.length === 0 && to.length === 0) return
  const under = mayLieUnder(from, to, box) ? 'from' : mayLieUnder(to, from, box) ? 'to' : undefined
  if (under) paintSide(context, command[under], { place, box })
  const scratch = weighted(command, under === 'to' ? 'from' : 'to', { place, blend })
  if (!under) {
    const other = weighted(command, 'from', { place, blend })
    addOnto(scratch.context, other.bitmap)
    place.studio.scratch.give(other)
  }
  clipTo(context, box, place.offset)
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.drawImage(scratch.bitmap, 0, 0)
  context.restore()
  place.studio.scratch.give(scratch)
}

/**
 * Whether `side` may lie unweighted under `other`: it is empty, or nothing of it shines through.
 */
function mayLieUnder(
  side: readonly DrawCommand[],
  other: readonly DrawCommand[],
  box: Rect,
): boolean {
  return side.length === 0 || coversBox(other, box)
}

/** Scenes begin with a fill of the whole canvas. */
function coversBox([first]: readonly DrawCommand[], [left, top, width, height]: Rect): boolean {
  if (first?.op !== 'fill') return false
  const [x, y, across, down] = first.rect
  return x <= left && y <= top && x + across >= left + width && y + down >= top + height
}

/** A scratch surface with one side, cut off at the box, times its weight. */
function weighted(
  command: TransitionCommand,
  side: Side,
  { place, blend }: { place: Place; blend: Blend },
): Surface {
  const { box } = command
  const surface = place.studio.scratch.take()
  const { context } = surface
  paintSide(context, command[side], { place, box })
  context.setTransform(1, 0, 0, 1, place.offset.x, place.offset.y)
  context.globalCompositeOperation = side === 'to' ? 'destination-in' : 'destination-out'
  clipTo(context, box, place.offset)
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
