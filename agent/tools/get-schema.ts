import { describePart } from '../schema-view.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const getSchema = tool<{ part?: string }>({
  name: 'get_schema',
  title: 'Language of projects, by part',
  description:
    'Lists the parts of a project, or the fields, rules and an example of one part. Free. Read a part before you write it.',
  hints: hints.reads,
  input: object({ 'part?': string('PROJECT, TEXT, FILTER …; left out: the list') }),
  async run({ part }, { farm, signal }) {
    if (part !== undefined) return text(...(await describePart(part, { farm, signal })))
    const parts = await farm.authoring.parts({ signal })
    return text(
      'Parts of the language; get_schema {part} describes one. Begin with PROJECT.',
      ...parts.map(({ type, place, summary }) => `- ${type} (${place}): ${summary}`),
    )
  },
})
