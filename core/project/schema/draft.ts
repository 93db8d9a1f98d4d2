import { type Static, Type } from 'typebox'
import { storedName } from './template.ts'

/** Bodies about drafts. Their payload may have any faults; it must only be an object. */

const payload = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export const NewProject = Type.Object(
  { name: storedName, payload },
  { $id: 'NewProject', title: 'a project', additionalProperties: false },
)
export type NewProject = Static<typeof NewProject>

/** Version of a draft: 1, and one more with each change. */
export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

/** Version that a change starts from; another one in the meantime refuses it. */
const baseVersion = Type.Optional(Version)

export const ProjectChange = Type.Object(
  { name: Type.Optional(storedName), payload: Type.Optional(payload), baseVersion },
  {
    $id: 'ProjectChange',
    title: 'a change of a project',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type ProjectChange = Static<typeof ProjectChange>

const pointer = Type.String({
  maxLength: 2048,
  pattern: '^(?:/(?:[^~/\\u0000]|~[01])*)*$',
  title: 'a JSON pointer: "" or parts that each follow a "/"',
})

/** An operation of RFC 6902. Its pointers start at the payload. */
export const PatchOperation = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
    path: pointer,
    from: Type.Optional(pointer),
    value: Type.Optional(Type.Unknown()),
  },
  { $id: 'PatchOperation', title: 'an operation of a JSON Patch', additionalProperties: false },
)
export type PatchOperation = Static<typeof PatchOperation>

const operations = { minItems: 1, maxItems: 500 }

/** Body of the media type application/json-patch+json. */
export const ProjectPatchList = Type.Array(PatchOperation, {
  ...operations,
  title: 'a JSON Patch: a list of operations',
})

export const ProjectPatch = Type.Object(
  { patch: Type.Array(PatchOperation, operations), baseVersion },
  { $id: 'ProjectPatch', title: 'a patch of a project', additionalProperties: false },
)
export type ProjectPatch = Static<typeof ProjectPatch>

export const ProjectRestoring = Type.Object(
  { version: Version, baseVersion },
  { $id: 'ProjectRestoring', title: 'a restoring of a version', additionalProperties: false },
)
export type ProjectRestoring = Static<typeof ProjectRestoring>
