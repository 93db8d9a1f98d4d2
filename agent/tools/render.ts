import { askBeforeSpending } from '../ask-before-spending.ts'
import { renderResult } from '../render-view.ts'
import { taskUnlessEnded } from '../tasks/start-task.ts'
import { facts, hints, integer, object, string, tool } from '../tool.ts'
import { watchRender } from '../watch-render.ts'

const waitSeconds = 50

export const render = tool<{ quote: string; wait?: number }>({
  name: 'render',
  title: 'Render a quote',
  description:
    'Renders a quote once, however often it is called. Spends its credits. Answers with the file, or after 50 s with the id for get_render.',
  hints: hints.spends,
  input: object({ quote: string('qt_…'), 'wait?': integer(0, 50, 'Seconds') }),
  async run({ quote, wait = waitSeconds }, agent) {
    const first = await askBeforeSpending(quote, agent)
    if (first) return first
    const rendered = await agent.farm.quotes.render(quote, { signal: agent.signal })
    if (agent.takesTasks) return await taskUnlessEnded(rendered, { seconds: wait, agent })
    const { jobId, bulkId } = rendered
    if (jobId === undefined) {
      const next = 'Call get_bulk with this id.'
      return facts({ id: bulkId, state: 'queued', progress: 0, next })
    }
    return renderResult(await watchRender(jobId, { seconds: wait, agent }))
  },
})
