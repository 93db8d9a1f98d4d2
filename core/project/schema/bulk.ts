import { type Static, Type } from 'typebox'
import { Variables } from './fields.ts'
import { RenderOverrides, RenderRequest } from './request.ts'

/** Body of a bulk submission: the common part of its renders, and its items. */

/** Most items in one request, on any plan. */
export const maxBulkItems = 500

const { payload, template, variables, overrides, webhookUrl, jobId } = RenderRequest.properties
const name = RenderOverrides.properties.name

export const BulkItem = Type.Object(
  { variables: Type.Optional(Variables), name, jobId },
  { $id: 'BulkItem', title: 'an item of a bulk', additionalProperties: false },
)
export type BulkItem = Static<typeof BulkItem>

/** Everything but the items, which are validated one by one. */
export const BulkFrame = Type.Object(
  {
    payload,
    template,
    variables,
    overrides,
    webhookUrl,
    name,
    items: Type.Optional(Type.Unknown()),
  },
  {
    $id: 'BulkFrame',
    title: 'a bulk request',
    additionalProperties: false,
    oneOf: [{ required: ['payload'] }, { required: ['template'] }],
  },
)

/** Published form of the request. */
export const BulkRequest = Type.Object(
  {
    ...BulkFrame.properties,
    items: Type.Array(BulkItem, { minItems: 1, maxItems: maxBulkItems }),
  },
  {
    $id: 'BulkRequest',
    title: 'a bulk request',
    additionalProperties: false,
    oneOf: [{ required: ['payload'] }, { required: ['template'] }],
  },
)
