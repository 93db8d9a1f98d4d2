import { type Static, Type } from 'typebox'
import { storedName } from './template.ts'

/** Bodies about drafts. Their payload may have any faults; it must only be an object. */

const payload = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export const NewProject = Type.Object(
  { name: storedName, payload },
  { $id: 'NewProject', title: 'a project', additionalProperties: false },
)
export type NewProject = Static<typeof NewProject>

export const ProjectChange = Type.Object(
  { name: Type.Optional(storedName), payload: Type.Optional(payload) },
  {
    $id: 'ProjectChange',
    title: 'a change of a project',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type ProjectChange = Static<typeof ProjectChange>
