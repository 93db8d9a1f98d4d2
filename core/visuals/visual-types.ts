import type { VisualKind } from '../project/schema/visuals.ts'
import { gif } from './gif/gif.ts'
import { image } from './image/image.ts'
import { svg } from './svg/svg.ts'
import { text } from './text/text.ts'
import { video } from './video/video.ts'
import type { VisualType } from './visual-type.ts'

/** All visual types, in the order of the schema's union. */
export const visualTypes: { readonly [Kind in VisualKind]: VisualType<Kind> } = {
  IMAGE: image,
  GIF: gif,
  VIDEO: video,
  TEXT: text,
  SVG: svg,
}

export function visualTypeOf({ type }: { readonly type: VisualKind }): VisualType {
  return visualTypes[type]
}

export function isVisualKind(name: unknown): name is VisualKind {
  return typeof name === 'string' && Object.hasOwn(visualTypes, name)
}
