import { Type } from 'typebox'
import { maybe, open } from '../../project/schema/fields.ts'
import { ChromaKey, Filter } from '../../project/schema/parts.ts'
import { sharedFields, visualType } from '../fields.ts'
import { codeFields } from '../painted/fields.ts'

export const SvgVisual = Type.Object(
  {
    type: visualType('SVG'),
    ...sharedFields,
    svg: open(
      Type.String({
        minLength: 1,
        maxLength: 200_000,
        pattern: '^<svg[^\\u0000]*$',
        title: 'an SVG picture that starts with "<svg"',
      }),
    ),
    filter: maybe(Filter),
    chromaKey: maybe(ChromaKey),
    ...codeFields,
  },
  { $id: 'SvgVisual', title: 'an SVG visual', additionalProperties: false },
)
