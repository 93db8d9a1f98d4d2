import { FarmApiError, type Job } from '../../client/farm-client.ts'
import { picture, pictureMaxBytes } from '../picture.ts'
import { showRender } from '../render-view.ts'
import { type Agent, facts, hints, integer, object, string, text, tool } from '../tool.ts'
import { watchRender } from '../watch-render.ts'

export const getRender = tool<{ id: string; wait?: number; show?: boolean }>({
  name: 'get_render',
  title: 'State and files of a render',
  description:
    'State, progress, waiting reason, failure, file address; show adds the thumbnail. Free. With wait it answers when the render ends or after that time.',
  hints: hints.reads,
  input: object({
    id: string(),
    'wait?': integer(0, 50, 'Seconds'),
    'show?': { type: 'boolean' },
  }),
  async run({ id, wait = 0, show = false }, agent) {
    const job = await watchRender(id, { seconds: wait, agent })
    const jpeg = show ? await thumbnailOf(job, agent) : undefined
    if (jpeg === undefined) return facts(showRender(job))
    // Some hosts show facts for programs in place of a picture.
    const { content } = text(JSON.stringify(showRender(job)))
    return { content: [...content, picture(jpeg)] }
  },
})

/** Undefined: it has none, for it has not ended or is a still, or its files were removed meanwhile. */
async function thumbnailOf(
  { id, thumbnailUrl }: Job,
  { farm, signal }: Agent,
): Promise<Uint8Array | undefined> {
  if (thumbnailUrl === null) return undefined
  try {
    return await farm.thumbnail(id, { signal, maxBytes: pictureMaxBytes })
  } catch (error) {
    if (error instanceof FarmApiError && error.code === 'not_found') return undefined
    throw error
  }
}
