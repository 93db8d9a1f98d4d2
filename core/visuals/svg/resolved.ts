import type { ResolvedChromaKey, ResolvedFilter } from '../effects.ts'
import type { ResolvedCode } from '../painted/code.ts'
import type { VisualBase } from '../visual-base.ts'

export type ResolvedSvg = VisualBase & {
  readonly type: 'SVG'
  readonly svg: string
  readonly code?: ResolvedCode
  readonly chromaKey?: ResolvedChromaKey
  readonly filter?: ResolvedFilter
}
