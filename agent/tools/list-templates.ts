import { quotedInList } from '../strangers-text.ts'
import { take } from '../take.ts'
import { hints, object, string, text, tool } from '../tool.ts'

const shownMost = 25

export const listTemplates = tool<{ query?: string }>({
  name: 'list_templates',
  title: 'List templates',
  description:
    'Lists stored templates by a part of their name. Free. get_template has the variables.',
  hints: hints.reads,
  input: object({ 'query?': string() }),
  async run({ query }, { farm, signal }) {
    const filter = query === undefined ? {} : { search: query }
    const found = await take(farm.templates.list(filter, { signal }), shownMost)
    if (found.length === 0) return text('No templates.')
    return text(...found.map(({ id, name, type }) => `- ${id}: ${quotedInList(name)} (${type})`))
  },
})
