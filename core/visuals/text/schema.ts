import { Type } from 'typebox'
import { maybe, text } from '../../project/schema/fields.ts'
import { Style } from '../../project/schema/parts.ts'
import { sharedFields, visualType } from '../fields.ts'
import { codeFields } from '../painted/fields.ts'

export const TextVisual = Type.Object(
  {
    type: visualType('TEXT'),
    ...sharedFields,
    text: maybe(
      Type.String({
        maxLength: 20_000,
        // Markup belongs in `html`; a line break is `<br>` there.
        pattern: '^[^<>\\u0000-\\u001f\\u007f-\\u009f]*$',
        title:
          'text without "<", ">" and control characters such as line breaks; write html instead, with <br> for a line break and &lt; for "<"',
      }),
    ),
    html: maybe(
      Type.String({
        ...text(200_000),
        title: 'HTML, in which the src of <img> is a public http(s) URL or a base64 data: URI',
      }),
    ),
    style: maybe(Style),
    ...codeFields,
  },
  { $id: 'TextVisual', title: 'a TEXT visual', additionalProperties: false },
)
