import type { FillCommand, PictureCommand } from '../../core/timeline/draw.ts'
import type { Rect } from '../../core/timeline/rect.ts'
import type { Context2D } from './canvas.ts'
import type { Filtered, Pictures } from './pictures.ts'

/** Position of the canvas coordinates on the surface: a sliding side moves by whole pixels. */
export type Offset = { readonly x: number; readonly y: number }

export function paintFill(context: Context2D, { rect, color }: FillCommand, offset: Offset): void {
  context.setTransform(1, 0, 0, 1, offset.x, offset.y)
  context.fillStyle = color
  context.fillRect(...rect)
}

/** Paints a picture. `fade` is a further factor of the opacity, 0..1. */
export function paintPicture(
  context: Context2D,
  command: PictureCommand,
  place: { pictures: Pictures; filtered: Filtered; offset: Offset; fade?: number },
): void {
  if (!isVisible(command)) return
  const { dest, clip, matrix, opacity } = command
  const { pictures, filtered, offset, fade = 1 } = place
  const { bitmap, source } = pictures.sampleOf(command, filtered)
  const [a, b, c, d, e, f] = matrix
  context.save()
  // A turn by a millionth makes edges between pixels soft; @napi-rs/canvas would round them to
  // whole pixels. It doubles the cost, so it is used only when such an edge is visible.
  const turn = hasEdgeBetweenPixels(command) ? 1e-6 : 0
  const upright = b === 0
  context.setTransform(
    a,
    b,
    upright ? c + turn : c,
    upright ? d : d + turn,
    e + offset.x,
    f + offset.y,
  )
  if (clip) {
    context.beginPath()
    if (clip.radii.every((radius) => radius === 0)) context.rect(...clip.rect)
    else context.roundRect(...clip.rect, [...clip.radii])
    context.clip()
  }
  context.globalAlpha = opacity * fade
  context.drawImage(bitmap, ...source, ...dest)
  context.restore()
}

/** A picture that moves by less than this many px looks the same. */
const visiblePx = 1e-3

function hasEdgeBetweenPixels({ dest, clip, matrix }: PictureCommand): boolean {
  const [a, b, c, d, e, f] = matrix
  const isTurned = (b !== 0 || c !== 0) && (a !== 0 || d !== 0)
  if (isTurned || (clip && isInside(clip.rect, dest))) return false
  const [left, top, width, height] = dest
  const edges = [
    a * left + c * top + e,
    b * left + d * top + f,
    a * (left + width) + c * (top + height) + e,
    b * (left + width) + d * (top + height) + f,
  ]
  return edges.some((edge) => Math.abs(edge - Math.round(edge)) > visiblePx)
}

function isInside([x, y, width, height]: Rect, [left, top, across, down]: Rect): boolean {
  return x >= left && y >= top && x + width <= left + across && y + height <= top + down
}

/** Returns whether anything of it is visible; a picture of no size has no scale either. */
function isVisible({ source, dest, opacity }: PictureCommand): boolean {
  return opacity > 0 && source[2] > 0 && source[3] > 0 && dest[2] > 0 && dest[3] > 0
}

/** Restricts painting to `rect`, canvas coordinates, until `restore`. */
export function clipTo(context: Context2D, rect: Rect, offset: Offset): void {
  context.save()
  context.setTransform(1, 0, 0, 1, offset.x, offset.y)
  context.beginPath()
  context.rect(...rect)
  context.clip()
}
