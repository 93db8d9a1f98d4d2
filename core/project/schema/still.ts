import { Type } from 'typebox'
import { BulkRequest } from './bulk.ts'
import { ImageProject } from './project.ts'
import { RenderRequest } from './request.ts'

/** Bodies of the routes for stills, as published: the payload's `type` is optional. */

const payload = Type.Optional(
  Type.Object(
    { ...ImageProject.properties, type: Type.Optional(Type.Literal('image')) },
    { $id: 'StillPayload', title: 'an image project', additionalProperties: false },
  ),
)
const oneOf = [{ required: ['payload'] }, { required: ['template'] }]

export const StillRequest = Type.Object(
  { ...RenderRequest.properties, payload },
  { $id: 'StillRequest', title: 'a render request', additionalProperties: false, oneOf },
)

export const StillBulkRequest = Type.Object(
  { ...BulkRequest.properties, payload },
  { $id: 'StillBulkRequest', title: 'a bulk request', additionalProperties: false, oneOf },
)
