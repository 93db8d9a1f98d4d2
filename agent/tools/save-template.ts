import type { NewTemplate } from '../../client/farm-client.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const saveTemplate = tool<{ draft: string; name: string; description?: string }>({
  name: 'save_template',
  title: 'Save a draft as a template',
  description: 'Stores a valid draft as a template that bulks and people can fill. Free.',
  hints: hints.adds,
  input: object({ draft: string(), name: string(), 'description?': string() }),
  async run({ draft, name, description }, { farm, signal }) {
    const { payload } = await farm.projects.get(draft, { signal })
    const about = { name, ...(description !== undefined && { description }) }
    const template = { ...about, payload } as NewTemplate
    const { id } = await farm.templates.create(template, { signal })
    return text(`Template ${id}. Render it with quote_render or quote_bulk.`)
  },
})
