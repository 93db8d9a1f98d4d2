import { InputRefused } from '../source.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const getSchema = tool<{ part?: string }>({
  name: 'get_schema',
  title: 'Language of projects, by part',
  description:
    'Lists the parts of a project, or the fields, rules and an example of one part. Free. Read a part before you write it.',
  hints: hints.reads,
  input: object({ 'part?': string('TEXT, IMAGE, SCENE …; left out: the list') }),
  async run({ part }, { farm, signal }) {
    const elements = await farm.authoring.elements({ signal })
    if (part === undefined) {
      return text(
        'A project is {type?: "video"|"image", width, height | resolution, frameRate?, duration?, backgroundColor?, scenes?, visuals?, audios?, subtitle?, variables?}. Strings may hold {{ name }} of variables.',
        ...elements.map(({ type, place, summary }) => `- ${type} (${place}): ${summary}`),
      )
    }
    const found = elements.find(({ type }) => type === part.toUpperCase())
    if (!found) {
      const known = elements.map(({ type }) => type).join(', ')
      throw new InputRefused(`part must be one of ${known}. Got ${JSON.stringify(part)}.`)
    }
    const { type, place, fields, example } = found
    return text(
      `${type}, in ${place}. * = required.`,
      ...fields.map(({ name, required, rule }) => `- ${name}${required ? '*' : ''}: ${rule}`),
      `Example: ${JSON.stringify(example)}`,
    )
  },
})
