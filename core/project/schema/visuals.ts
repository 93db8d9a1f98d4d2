import { type Static, Type } from 'typebox'
import { GifVisual } from '../../visuals/gif/schema.ts'
import { ImageVisual } from '../../visuals/image/schema.ts'
import { SvgVisual } from '../../visuals/svg/schema.ts'
import { TextVisual } from '../../visuals/text/schema.ts'
import { VideoVisual } from '../../visuals/video/schema.ts'
import type { Filled } from './fields.ts'

const byType = { discriminator: { propertyName: 'type' } }

/** Visuals of a video project or a scene. */
export const Visual = Type.Union(
  [ImageVisual, GifVisual, VideoVisual, TextVisual, SvgVisual],
  byType,
)

/** Visuals of an image project. */
export const StillVisual = Type.Union([ImageVisual, TextVisual, SvgVisual], byType)

type FilledVisual = Filled<Static<typeof Visual>>

export type VisualKind = FilledVisual['type']

type FilledByKind = { [Any in FilledVisual as Any['type']]: Any }

/** A visual without placeholders that passed the schema. */
export type FilledOf<Kind extends VisualKind> = FilledByKind[Kind]
