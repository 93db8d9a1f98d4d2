import type { ResolvedChromaKey, ResolvedFilter } from '../effects.ts'
import type { VisualBase } from '../visual-base.ts'

/** Properties that visuals with a medium share. */
export type PictureBase = VisualBase & {
  readonly src: string
  readonly crop?: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
  readonly chromaKey?: ResolvedChromaKey
  readonly filter?: ResolvedFilter
  readonly radius: {
    readonly tl: number
    readonly tr: number
    readonly br: number
    readonly bl: number
  }
  /** 1 = no zoom. */
  readonly zoomDepth: number
}
