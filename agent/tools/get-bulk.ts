import { bulkResult } from '../bulk-view.ts'
import { InputRefused } from '../source.ts'
import { quoted } from '../strangers-text.ts'
import { hints, integer, object, string, tool } from '../tool.ts'
import { watchBulk } from '../watch-bulk.ts'

type Asked = { readonly bulk: string; readonly wait?: number; readonly page?: number }

export const getBulk = tool<Asked>({
  name: 'get_bulk',
  title: 'State and files of a bulk',
  description:
    'Counts by state and 25 renders a page, each with its file. Free. With wait it answers when all have ended.',
  hints: hints.reads,
  input: object({
    bulk: string(),
    'wait?': integer(0, 50, 'Seconds'),
    'page?': integer(1, 1000),
  }),
  output: object({ state: { type: 'string' }, progress: { type: 'number' } }),
  async run({ bulk: bulkId, wait = 0, page }, agent) {
    if (!bulkId.startsWith('blk_'))
      throw new InputRefused(
        `bulk must be a blk_ id, which render_bulk answers. Got ${quoted(bulkId)}. Call get_render for a single render.`,
      )
    if (wait > 0) await watchBulk(bulkId, { seconds: wait, agent })
    return await bulkResult(agent.farm, { bulkId, page }, agent.signal)
  },
})
