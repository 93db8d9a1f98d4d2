import { quoted, shownPath, shownValue } from '../strangers-text.ts'
import { hints, object, string, text, tool } from '../tool.ts'
import { fitting } from '../wording.ts'

/** Bytes: 2,500 tokens or so, and 6,800 of letters that are no words. */
const payloadMost = 9_000
/** Bytes: 700 tokens or so, and 1,900 of letters that are no words. */
const variablesMost = 2_500

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
      ...variableLines(payload.variables),
      ...(withProject ? [projectText(project)] : []),
    )
  },
})

/** Lists as many variables as fit, each with the start of its default. */
function variableLines(variables: unknown): readonly string[] {
  const lines = Object.entries({ ...(variables as object | undefined) }).map(
    ([name, value]) => `- ${shownPath(name)}: ${shownValue(value)}`,
  )
  return lines.length === 0
    ? ['Variables: none']
    : ['Variables:', ...fitting(lines, { bytesMost: variablesMost })]
}

function projectText(project: string): string {
  const bytes = Buffer.byteLength(project)
  if (bytes <= payloadMost) return `Project: ${project}`
  return `The project has ${bytes} bytes: save_draft {from} and edit_draft change it without reading all of it.`
}
