import type { TemplateChange } from '../../client/farm-client.ts'
import { hints, object, string, text, tool } from '../tool.ts'

type Change = {
  template: string
  draft?: string
  name?: string
  description?: string
  archived?: boolean
}

export const updateTemplate = tool<Change>({
  name: 'update_template',
  title: 'Change a template',
  description:
    "Sets a template's name, description, archived flag or, from a draft, its project. Free.",
  hints: { ...hints.setsOnce, destructiveHint: true },
  input: object({
    template: string(),
    'draft?': string('Draft whose project it takes'),
    'name?': string(),
    'description?': string(),
    'archived?': { type: 'boolean' },
  }),
  async run({ template, draft, ...about }, { farm, signal }) {
    const taken = draft === undefined ? {} : await farm.projects.get(draft, { signal })
    const payload = 'payload' in taken ? { payload: taken.payload } : {}
    const change = { ...about, ...payload } as TemplateChange
    const { id, updatedAt } = await farm.templates.change(template, change, { signal })
    return text(`Template ${id}, changed at ${updatedAt}.`)
  },
})
