import type { ColorFilter, Radii } from '../timeline/draw.ts'
import { exact } from '../timeline/exact.ts'
import type { Rect } from '../timeline/rect.ts'
import type { ResolvedFilter } from '../visuals/effects.ts'
import type { PictureBase } from '../visuals/picture/resolved.ts'

/** A picture or clip in its box; painters and previews share these rules. */

export type Fit = 'contain' | 'cover' | 'stretch'

/**
 * Returns how the picture fills its box. `given`: its fit into a box of given edges, without
 * `resize`. A box with a missing edge has the picture's own shape.
 */
export function fitOf(
  { resize, width, height }: Pick<PictureBase, 'resize' | 'width' | 'height'>,
  given: Fit,
): Fit {
  const isGiven = width !== undefined && height !== undefined
  return resize ?? (isGiven ? given : 'stretch')
}

/** `contain` keeps the whole picture inside the box; `cover` cuts it centred. */
export function fitInto({ source, box, resize }: { source: Rect; box: Rect; resize: Fit }): {
  source: Rect
  dest: Rect
} {
  const across = box[2] / source[2]
  const down = box[3] / source[3]
  if (resize === 'contain') {
    const scale = Math.min(across, down)
    const width = Math.max(1, Math.round(source[2] * scale))
    const height = Math.max(1, Math.round(source[3] * scale))
    const left = box[0] + Math.round((box[2] - width) / 2)
    const top = box[1] + Math.round((box[3] - height) / 2)
    return { source, dest: [left, top, width, height] }
  }
  if (resize === 'cover') {
    const scale = Math.max(across, down)
    const width = box[2] / scale
    const height = box[3] / scale
    return {
      source: [
        exact(source[0] + (source[2] - width) / 2),
        exact(source[1] + (source[3] - height) / 2),
        exact(width),
        exact(height),
      ],
      dest: box,
    }
  }
  return { source, dest: box }
}

/** The corners belong to the picture: a flip turns them with it. */
export function radiiOf({ radius: { tl, tr, br, bl } }: Pick<PictureBase, 'radius'>): Radii {
  return [tl, tr, br, bl]
}

/** Converts the language's units to factors; undefined when nothing changes. */
export function colorFilter(
  filter: ResolvedFilter | undefined,
  box: Rect,
): ColorFilter | undefined {
  if (!filter) return undefined
  const tint = [1, 3, 5].map((at) => Number.parseInt(filter.tint.slice(at, at + 2), 16) / 255)
  const [r = 1, g = 1, b = 1] = tint
  const found: ColorFilter = {
    ...(filter.brightness !== 0 && { brightness: 1 + filter.brightness / 100 }),
    ...(filter.contrast !== 0 && { contrast: 1 + filter.contrast / 100 }),
    ...(filter.saturate !== 0 && { saturate: saturation(filter.saturate) }),
    ...(filter.hue % 360 !== 0 && { hue: filter.hue }),
    ...(filter.blur !== 0 && { blur: (filter.blur / 100) * (Math.min(box[2], box[3]) / 2) }),
    ...(filter.invert !== 0 && { invert: filter.invert }),
    ...((r !== 1 || g !== 1 || b !== 1) && { tint: [r, g, b] as const }),
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Factor of saturation: -100 is grey, 100 three times as much. */
function saturation(value: number): number {
  return value > 0 ? 1 + (2 * value) / 100 : 1 + value / 100
}
