import { layoutPicture, stillOf } from '../picture/layout.ts'
import { normalizePicture, pictureDefaults } from '../picture/normalize.ts'
import type { VisualType } from '../visual-type.ts'
import { ImageVisual } from './schema.ts'

export const image: VisualType<'IMAGE'> = {
  schema: ImageVisual,
  summary: 'A picture from a URL',
  example: {
    type: 'IMAGE',
    ...{ src: 'https://example.com/a.jpg', width: 640, height: 360, resize: 'cover' },
  },
  checkRules: null,
  normalize: (visual, base) => ({ ...base, ...normalizePicture(visual), type: 'IMAGE' }),
  withDefaults: pictureDefaults,
  media: ({ src, field }) => [{ url: src, field: `${field}.src`, expect: 'image' }],
  layout: (visual, { canvas, facts }) =>
    layoutPicture(visual, stillOf(visual, facts), { canvas, fit: 'cover' }),
  opaqueFormat: () => /\.(?:jpe?g|jfif)$/i,
  painted: null,
  clip: null,
  recording: null,
}
