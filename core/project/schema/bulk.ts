import { type Static, Type } from 'typebox'
import { Variables } from './fields.ts'
import { RenderOverrides, RenderRequest } from './request.ts'

/** The body of a bulk submission: what its renders have in common, and what each has of its own. */

/** No plan allows more items in one request. */
export const maxBulkItems = 500

const { payload, template, variables, overrides, webhookUrl, jobId } = RenderRequest.properties
const name = RenderOverrides.properties.name

export const BulkItem = Type.Object(
  { variables: Type.Optional(Variables), name, jobId },
  { $id: 'BulkItem', title: 'an item of a bulk', additionalProperties: false },
)
export type BulkItem = Static<typeof BulkItem>

/** Everything but the items, which are judged one by one. */
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

/** As it is published. */
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
