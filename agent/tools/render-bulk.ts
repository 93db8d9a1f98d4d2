import { askBeforeSpending } from '../ask-before-spending.ts'
import { taskUnlessEnded } from '../tasks/start-task.ts'
import { hints, object, string, text, tool } from '../tool.ts'
import { counted } from '../wording.ts'

export const renderBulk = tool<{ quote: string }>({
  name: 'render_bulk',
  title: 'Render a quoted bulk',
  description:
    'Renders a bulk quote once, however often it is called. Spends its credits. Then get_bulk.',
  hints: hints.spends,
  input: object({ quote: string('qt_…') }),
  async run({ quote }, agent) {
    const first = await askBeforeSpending(quote, agent)
    if (first) return first
    const rendered = await agent.farm.quotes.render(quote, { signal: agent.signal })
    if (agent.takesTasks) return await taskUnlessEnded(rendered, { seconds: 0, agent })
    const { bulkId, jobIds, creditsReserved } = rendered
    const what = bulkId === undefined ? `Render ${jobIds[0]}` : `Bulk ${bulkId}`
    return text(
      `${what}: ${counted(jobIds.length, 'render')}, ${counted(creditsReserved, 'credit')} held.`,
    )
  },
})
