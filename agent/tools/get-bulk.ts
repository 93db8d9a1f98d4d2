import { setTimeout } from 'node:timers/promises'
import { bulkResult } from '../bulk-view.ts'
import { InputRefused } from '../source.ts'
import { quoted } from '../strangers-text.ts'
import { type Agent, hints, integer, object, string, tool } from '../tool.ts'

const pollMs = 2_000

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
        `bulk must be a blk_ id, which render_bulk answers. Got ${quoted(bulkId)}.`,
      )
    await waitForEnd(bulkId, { seconds: wait, agent })
    return await bulkResult(agent.farm, { bulkId, page }, agent.signal)
  },
})

type Waiting = { readonly seconds: number; readonly agent: Agent }

/** A bulk has no stream of events; each poll reads its counts alone. */
async function waitForEnd(id: string, { seconds, agent }: Waiting): Promise<void> {
  const { farm, signal, progress } = agent
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const bulk = await farm.getBulk(id, { signal, pageSize: 1 })
    if (bulk.state !== 'running') return
    progress(bulk.progress, 100, JSON.stringify(bulk.counts))
    await setTimeout(Math.max(0, Math.min(pollMs, until - performance.now())), undefined, {
      signal,
    })
  }
}
