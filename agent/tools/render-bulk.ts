import { hints, object, string, text, tool } from '../tool.ts'

export const renderBulk = tool<{ quote: string }>({
  name: 'render_bulk',
  title: 'Render a quoted bulk',
  description:
    'Renders a bulk quote once, however often it is called. Spends its credits. Then get_bulk.',
  hints: hints.spends,
  input: object({ quote: string('qt_…') }),
  async run({ quote }, { farm, signal }) {
    const { bulkId, jobIds, creditsReserved } = await farm.quotes.render(quote, { signal })
    const what = bulkId === undefined ? `Render ${jobIds[0]}` : `Bulk ${bulkId}`
    return text(`${what}: ${jobIds.length} renders, ${creditsReserved} credits held.`)
  },
})
