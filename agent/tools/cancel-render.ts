import { refuseBulkId } from '../render-id.ts'
import { showRender } from '../render-view.ts'
import { facts, hints, object, string, tool } from '../tool.ts'

export const cancelRender = tool<{ id: string }>({
  name: 'cancel_render',
  title: 'Cancel a render',
  description: 'Ends a render. Frames painted so far are charged. An ended render stays as it is.',
  hints: hints.spends,
  input: object({ id: string() }),
  async run({ id }, { farm, signal }) {
    refuseBulkId(id, 'cancel_bulk')
    return facts(showRender(await farm.cancelJob(id, { signal })))
  },
})
