import { Type } from 'typebox'
import { visualType } from '../fields.ts'
import { pictureFields } from '../picture/fields.ts'

export const ImageVisual = Type.Object(
  { type: visualType('IMAGE'), ...pictureFields },
  { $id: 'ImageVisual', title: 'an IMAGE visual', additionalProperties: false },
)
