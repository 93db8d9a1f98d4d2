import { type Static, Type } from 'typebox'
import { text, Variables } from './fields.ts'
import { RenderPayload } from './project.ts'
import { RenderOverrides } from './request.ts'

/** Bodies about stored templates. */

export const storedName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*[^\\s\\u0000]\\s*$',
  title: 'a name of 1 to 200 characters',
})
const description = text(2000)

export const NewTemplate = Type.Object(
  { name: storedName, description: Type.Optional(description), payload: RenderPayload },
  { $id: 'NewTemplate', title: 'a template', additionalProperties: false },
)
export type NewTemplate = Static<typeof NewTemplate>

/** `archived`: neither listed nor rendered until it is false again. */
export const TemplateChange = Type.Object(
  {
    name: Type.Optional(storedName),
    description: Type.Optional(description),
    payload: Type.Optional(RenderPayload),
    archived: Type.Optional(Type.Boolean()),
  },
  {
    $id: 'TemplateChange',
    title: 'a change of a template',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type TemplateChange = Static<typeof TemplateChange>

export const TemplatePreview = Type.Object(
  { variables: Type.Optional(Variables), overrides: Type.Optional(RenderOverrides) },
  { $id: 'TemplatePreview', title: 'a preview request', additionalProperties: false },
)
export type TemplatePreview = Static<typeof TemplatePreview>
