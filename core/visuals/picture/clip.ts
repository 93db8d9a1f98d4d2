import type { Fit } from '../../looks/picture.ts'
import type { PictureBase } from './resolved.ts'

/** A clip is stretched into a box of given edges. */
export const clipFit: Fit = 'stretch'

/** Lists what decides at which size a clip is decoded, and when it begins. */
export function clipLook(visual: PictureBase & { readonly type: string }): readonly unknown[] {
  const { type, src, enterBegin, width, height, resize, crop, chromaKey, zoomDepth } = visual
  return [type, src, enterBegin, width, height, resize, crop, chromaKey, zoomDepth]
}
