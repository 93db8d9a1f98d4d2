import type { VisualKind } from '../project/schema/visuals.ts'
import type { ResolvedGif } from './gif/resolved.ts'
import type { ResolvedImage } from './image/resolved.ts'
import type { ResolvedSvg } from './svg/resolved.ts'
import type { ResolvedText } from './text/resolved.ts'
import type { ResolvedVideo } from './video/resolved.ts'

type ResolvedByKind = {
  readonly IMAGE: ResolvedImage
  readonly GIF: ResolvedGif
  readonly VIDEO: ResolvedVideo
  readonly TEXT: ResolvedText
  readonly SVG: ResolvedSvg
}

export type ResolvedOf<Kind extends VisualKind> = ResolvedByKind[Kind]

export type ResolvedVisual = ResolvedByKind[keyof ResolvedByKind]
