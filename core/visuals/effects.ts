import type { Static } from 'typebox'
import type { Filled } from '../project/schema/fields.ts'
import type { ChromaKey, Filter } from '../project/schema/parts.ts'

export type FilledChromaKey = Filled<Static<typeof ChromaKey>>
export type FilledFilter = Filled<Static<typeof Filter>>

/** `color` #rrggbb; `similarity` and `blend` 0..100. */
export type ResolvedChromaKey = {
  readonly color: string
  readonly similarity: number
  readonly blend: number
}

/** The language's own units: brightness, contrast, saturate -100..100; hue in degrees; blur 0..100; invert 0..1; tint #rrggbb. */
export type ResolvedFilter = {
  readonly brightness: number
  readonly contrast: number
  readonly saturate: number
  readonly hue: number
  readonly blur: number
  readonly invert: number
  readonly tint: string
}
