import { hints, object, string, text, tool } from '../tool.ts'
import { quoted } from '../wording.ts'

const payloadMost = 20_000

export const getTemplate = tool<{ template: string; withProject?: boolean }>({
  name: 'get_template',
  title: 'Variables of a template',
  description:
    'Variables with their defaults; on request the project. Free. Fill them in check_project or quote_render.',
  hints: hints.reads,
  input: object({ template: string(), 'withProject?': { type: 'boolean' } }),
  async run({ template: id, withProject = false }, { farm, signal }) {
    const { name, description, type, payload } = await farm.templates.get(id, { signal })
    const project = JSON.stringify(payload)
    return text(
      `${id}: ${quoted(name)} (${type}) ${quoted(description)}`,
      `Variables: ${JSON.stringify(payload.variables ?? {})}`,
      ...(withProject ? [projectText(project)] : []),
    )
  },
})

function projectText(project: string): string {
  if (project.length <= payloadMost) return `Project: ${project}`
  return `The project has ${project.length} characters: save_draft {from} and edit_draft change it without reading all of it.`
}
