import { type Static, Type } from 'typebox'
import {
  color,
  integerFrom,
  numberFrom,
  resolution,
  text,
  urlPattern,
  Variables,
} from './fields.ts'
import { imageFormats, videoFormats } from './names.ts'
import { RenderPayload } from './project.ts'

/** Body of a render request. */

/** Output settings, applied after the variables; literal values only. */
export const RenderOverrides = Type.Object(
  {
    name: Type.Optional(text(1000)),
    width: Type.Optional(integerFrom(1)),
    height: Type.Optional(integerFrom(1)),
    outputFormat: Type.Optional(Type.Enum([...videoFormats, ...imageFormats])),
    frameRate: Type.Optional(integerFrom(1, 60)),
    backgroundColor: Type.Optional(color),
    snapshotTime: Type.Optional(numberFrom(0, 3600)),
    quality: Type.Optional(integerFrom(1, 100)),
    transparent: Type.Optional(Type.Boolean()),
    resolution: Type.Optional(resolution),
  },
  { $id: 'RenderOverrides', title: 'an overrides object', additionalProperties: false },
)
export type RenderOverrides = Static<typeof RenderOverrides>

export const RenderRequest = Type.Object(
  {
    payload: Type.Optional(RenderPayload),
    template: Type.Optional(
      Type.String({
        pattern: '^tpl_[A-Za-z0-9]{20}$',
        title: 'a template id: "tpl_" and 20 letters or digits',
      }),
    ),
    variables: Type.Optional(Variables),
    overrides: Type.Optional(RenderOverrides),
    webhookUrl: Type.Optional(
      Type.String({
        pattern: urlPattern,
        minLength: 1,
        maxLength: 2048,
        title: 'a public URL that starts with https://, in small letters',
        urlOf: 'webhook',
      }),
    ),
    jobId: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
        title: 'a UUID',
      }),
    ),
  },
  {
    $id: 'RenderRequest',
    title: 'a render request',
    additionalProperties: false,
    oneOf: [{ required: ['payload'] }, { required: ['template'] }],
  },
)
export type RenderRequest = Static<typeof RenderRequest>
