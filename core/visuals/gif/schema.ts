import { Type } from 'typebox'
import { visualType } from '../fields.ts'
import { pictureFields } from '../picture/fields.ts'

export const GifVisual = Type.Object(
  { type: visualType('GIF'), ...pictureFields },
  { $id: 'GifVisual', title: 'a GIF visual', additionalProperties: false },
)
