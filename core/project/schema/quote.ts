import { type Static, Type } from 'typebox'
import { BulkItem, maxBulkItems } from './bulk.ts'
import { RenderOverrides, RenderRequest } from './request.ts'

const { payload, template, variables, overrides, webhookUrl } = RenderRequest.properties

/** A render request or, with `items`, a bulk request, that is to be priced. */
export const QuoteRequest = Type.Object(
  {
    payload,
    template,
    project: Type.Optional(
      Type.String({
        pattern: '^prj_[A-Za-z0-9]{20}$',
        title: 'a project id: "prj_" and 20 letters or digits',
      }),
    ),
    variables,
    overrides,
    webhookUrl,
    name: RenderOverrides.properties.name,
    items: Type.Optional(Type.Array(BulkItem, { minItems: 1, maxItems: maxBulkItems })),
  },
  {
    $id: 'QuoteRequest',
    title: 'a quote request',
    additionalProperties: false,
    oneOf: [{ required: ['payload'] }, { required: ['template'] }, { required: ['project'] }],
  },
)
export type QuoteRequest = Static<typeof QuoteRequest>
