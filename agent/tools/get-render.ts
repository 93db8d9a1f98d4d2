import { renderShape, showRender } from '../render-view.ts'
import { facts, hints, integer, object, string, tool } from '../tool.ts'
import { watchRender } from '../watch-render.ts'

export const getRender = tool<{ id: string; wait?: number }>({
  name: 'get_render',
  title: 'State and files of a render',
  description:
    'State, progress, waiting reason, failure, file address. Free. With wait it answers when the render ends or after that time.',
  hints: hints.reads,
  input: object({ id: string(), 'wait?': integer(0, 50, 'Seconds') }),
  output: renderShape,
  async run({ id, wait = 0 }, agent) {
    return facts(showRender(await watchRender(id, { seconds: wait, agent })))
  },
})
