import { FarmApiError } from '../../client/farm-client.ts'
import { draftText } from '../draft-view.ts'
import { InputRefused } from '../source.ts'
import { quoted } from '../strangers-text.ts'
import { take } from '../take.ts'
import { type Agent, anyObject, hints, object, string, tool } from '../tool.ts'

/** Slugs that a refusal lists. */
const slugsMost = 100

export const saveDraft = tool<{ name: string; project?: object; from?: string }>({
  name: 'save_draft',
  title: 'Save a draft',
  description:
    'Stores a project, or a copy of an example, template or draft, and lists its faults. Free. Then edit_draft.',
  hints: hints.adds,
  input: object({
    name: string(),
    'project?': anyObject,
    'from?': string('Example slug, template id or draft id'),
  }),
  async run({ name, project, from }, agent) {
    if ((project === undefined) === (from === undefined)) {
      throw new InputRefused(
        'Exactly one of project and from must be given. Send from to begin with an example, or a project of your own.',
      )
    }
    const payload = project ?? (await payloadOf(from ?? '', agent))
    const { signal } = agent
    return draftText(
      await agent.farm.projects.create({ name, payload: { ...payload } }, { signal }),
    )
  },
})

async function payloadOf(from: string, { farm, signal }: Agent): Promise<object> {
  if (from.startsWith('tpl_')) return (await farm.templates.get(from, { signal })).payload
  if (from.startsWith('prj_')) return (await farm.projects.get(from, { signal })).payload
  try {
    return await farm.authoring.content({ kind: 'examples', slug: from }, { signal })
  } catch (error) {
    if (!(error instanceof FarmApiError) || ![400, 404].includes(error.status)) throw error
    const all = await take(farm.authoring.library('examples', {}, { signal }), slugsMost)
    const known = all.map(({ slug }) => slug).join(', ')
    throw new InputRefused(
      `from must be a tpl_ or prj_ id or one of ${known}. Got ${quoted(from)}. Call find_examples or list_templates for what exists.`,
    )
  }
}
