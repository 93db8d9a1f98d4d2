import { FarmError } from '../errors.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { ColorKey } from '../timeline/draw.ts'
import type { Facts } from '../timeline/facts.ts'
import type { TimedElement } from '../timeline/types.ts'
import type { ResolvedChromaKey } from './effects.ts'
import type { VisualBase } from './visual-base.ts'

/**
 * Position of a visual, and the part of the picture that it shows. Boxes have whole-pixel edges:
 * text stays crisp, and the transitions' edges fall on pixels.
 */
export type Layout = Omit<
  TimedElement,
  'field' | 'begin' | 'enterEnd' | 'exitBegin' | 'exitEnd' | 'end' | 'enter' | 'exit' | 'link'
>

export type LayoutContext = { readonly canvas: ResolvedProject; readonly facts: Facts }

export const manner = (visual: VisualBase) => ({
  opacity: visual.opacity,
  angle: visual.angle,
  flipH: visual.flipH,
  flipV: visual.flipV,
})

/** Converts percent to fractions. */
export function colorKey({ color, similarity, blend }: ResolvedChromaKey): ColorKey {
  return { color, similarity: similarity / 100, blend: blend / 100 }
}

export function missing(field: string): FarmError {
  return new FarmError('internal', `No facts for ${field}: it was not ingested or baked.`, {
    field,
  })
}
