import { hints, integer, object, text, tool } from '../tool.ts'

export const getUsage = tool<{ days?: number }>({
  name: 'get_usage',
  title: 'Credits used by day',
  description: 'Credits and renders of the last days. Free.',
  hints: hints.reads,
  input: object({ 'days?': integer(1, 90) }),
  async run({ days = 30 }, { farm, signal }) {
    return text(JSON.stringify(await farm.credits.usage(days, { signal })))
  },
})
