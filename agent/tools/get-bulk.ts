import { bulkResult } from '../bulk-view.ts'
import { InputRefused } from '../source.ts'
import { hints, integer, object, string, tool } from '../tool.ts'

const pollMs = 2_000

export const getBulk = tool<{ bulk: string; wait?: number }>({
  name: 'get_bulk',
  title: 'State and files of a bulk',
  description:
    'Counts by state and each item with its file. Free. With wait it answers when all have ended.',
  hints: hints.reads,
  input: object({ bulk: string(), 'wait?': integer(0, 50, 'Seconds') }),
  output: object({ state: { type: 'string' }, progress: { type: 'number' } }),
  async run({ bulk: id, wait = 0 }, { farm, signal, progress }) {
    if (!id.startsWith('blk_')) throw new InputRefused(`bulk must be a blk_ id. Got ${id}.`)
    const until = performance.now() + wait * 1000
    let bulk = await farm.getBulk(id, { signal, pageSize: 1 })
    while (bulk.state === 'running' && performance.now() < until) {
      progress(bulk.progress, 100, JSON.stringify(bulk.counts))
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      signal.throwIfAborted()
      bulk = await farm.getBulk(id, { signal, pageSize: 1 })
    }
    return await bulkResult(farm, bulk, signal)
  },
})
