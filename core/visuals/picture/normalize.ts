import { isRecord } from '../../project/check.ts'
import type { FilledOf } from '../../project/schema/visuals.ts'
import { normalizeEffects } from '../normalize-effects.ts'
import type { VisualBase } from '../visual-base.ts'
import type { PictureBase } from './resolved.ts'

const plainZoomDepth = 1.2

type Item = Readonly<Record<string, unknown>>
type FilledPicture = Omit<FilledOf<'IMAGE'>, 'type'>

export function normalizePicture(visual: FilledPicture): Omit<PictureBase, keyof VisualBase> {
  return {
    src: visual.src,
    ...(visual.cropParams && { crop: visual.cropParams }),
    ...normalizeEffects(visual),
    radius: { tl: 0, tr: 0, br: 0, bl: 0, ...visual.radius },
    zoomDepth: zoomDepth(visual.zoom),
  }
}

function zoomDepth(zoom: boolean | { depth: number } | undefined): number {
  if (typeof zoom === 'object') return zoom.depth
  return zoom === true ? plainZoomDepth : 1
}

/** Adds the defaults of every visual with a medium to `shared`. */
export function pictureDefaults(
  shared: Item,
  { zoomDepth: depth, radius }: PictureBase,
  given: Item,
): Item {
  const zoom = isRecord(given.zoom) ? given.zoom : given.zoom === true && { depth }
  return { ...shared, zoom, radius }
}
