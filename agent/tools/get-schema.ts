import { describePart } from '../schema-view.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const getSchema = tool<{ part?: string }>({
  name: 'get_schema',
  title: 'Language of projects, by part',
  description:
    'Lists the parts of a project, or the fields, rules and an example of one part. Free. Read a part before you write it.',
  hints: hints.reads,
  input: object({ 'part?': string('TEXT, IMAGE, SCENE …; left out: the list') }),
  async run({ part }, { farm, signal }) {
    if (part !== undefined) return text(...(await describePart(part, { farm, signal })))
    const elements = await farm.authoring.elements({ signal })
    return text(
      'A project is {type?: "video"|"image", width, height | resolution, frameRate?, duration?, backgroundColor?, scenes?, visuals?, audios?, subtitle?, variables?}. Strings may hold {{ name }} of variables.',
      ...elements.map(({ type, place, summary }) => `- ${type} (${place}): ${summary}`),
    )
  },
})
