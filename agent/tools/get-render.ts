import { picture } from '../picture.ts'
import { refuseBulkId } from '../render-id.ts'
import { showRender } from '../render-view.ts'
import { thumbnailOf } from '../thumbnail.ts'
import { facts, hints, integer, object, string, text, tool } from '../tool.ts'
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
    refuseBulkId(id, 'get_bulk')
    const job = await watchRender(id, { seconds: wait, agent })
    const jpeg = show ? await thumbnailOf(job, agent) : undefined
    if (jpeg === undefined) return facts(showRender(job))
    // Some hosts show facts for programs in place of a picture.
    const { content } = text(JSON.stringify(showRender(job)))
    return { content: [...content, picture(jpeg)] }
  },
})
