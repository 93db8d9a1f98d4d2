import { draftText } from '../draft-view.ts'
import { InputRefused, type Patch } from '../source.ts'
import { hints, integer, object, string, tool } from '../tool.ts'

export const editDraft = tool<{
  draft: string
  patch?: Patch
  restore?: number
  baseVersion?: number
}>({
  name: 'edit_draft',
  title: 'Edit a draft',
  description:
    'Applies a JSON Patch whose paths start at the project, or restores a version; lists the faults. Free.',
  hints: hints.adds,
  input: object({
    draft: string(),
    'patch?': {
      type: 'array',
      items: object({
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: string('/visuals/0/text'),
        'from?': string(),
        'value?': {},
      }),
    },
    'restore?': integer(1, 2_147_483_647, 'Version'),
    'baseVersion?': integer(1, 2_147_483_647),
  }),
  async run({ draft, patch, restore, baseVersion }, { farm, signal }) {
    if ((patch === undefined) === (restore === undefined)) {
      throw new InputRefused(
        'Exactly one of patch and restore must be given. Send patch to change the draft, or restore to go back to a version.',
      )
    }
    const base = baseVersion !== undefined && { baseVersion }
    const changed =
      restore === undefined
        ? await farm.projects.patch(draft, { patch: patch ?? [], ...base }, { signal })
        : await farm.projects.restore(draft, { version: restore, ...base }, { signal })
    return draftText(changed)
  },
})
