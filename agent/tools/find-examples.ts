import { picture } from '../picture.ts'
import { take } from '../take.ts'
import { hints, object, string, text, tool } from '../tool.ts'

const aspects = ['landscape', 'portrait', 'square'] as const
type Aspect = (typeof aspects)[number]

/** Number of examples on the picture. */
const shownMost = 12

export const findExamples = tool<{ query?: string; aspect?: Aspect }>({
  name: 'find_examples',
  title: 'Find examples to begin with',
  description:
    'Finds projects of the library by words, with one picture of all. Free. Begin a draft from one: save_draft {from: slug}.',
  hints: hints.reads,
  input: object({
    'query?': string('Words that an example must all have'),
    'aspect?': { type: 'string', enum: aspects },
  }),
  async run({ query, aspect }, { farm, signal }) {
    const filter = { ...(query !== undefined && { q: query }), ...(aspect && { aspect }) }
    const found = await take(farm.authoring.library('examples', filter, { signal }), shownMost)
    if (found.length === 0)
      return text('No example has all of these words and this aspect. Try fewer words.')
    const sheet = await farm.authoring.examplesSheet({ ...filter, limit: shownMost }, { signal })
    const { content } = text(
      ...found.map(
        ({ slug, title, description, type, width, height, thumbnail }) =>
          `- ${slug}: ${title} (${type}, ${width}x${height}). ${description} ${thumbnail}`,
      ),
    )
    return { content: [...content, picture(sheet)] }
  },
})
