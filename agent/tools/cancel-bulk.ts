import { hints, object, string, text, tool } from '../tool.ts'

export const cancelBulk = tool<{ bulk: string }>({
  name: 'cancel_bulk',
  title: 'Cancel a bulk',
  description: 'Ends every unfinished render of a bulk. Frames painted so far are charged.',
  hints: hints.spends,
  input: object({ bulk: string() }),
  async run({ bulk }, { farm, signal }) {
    const { bulkId, state, counts } = await farm.cancelBulk(bulk, { signal })
    return text(`Bulk ${bulkId}: ${state}, ${JSON.stringify(counts)}`)
  },
})
