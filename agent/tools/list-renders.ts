import { quotedInList } from '../strangers-text.ts'
import { take } from '../take.ts'
import { facts, hints, integer, object, tool } from '../tool.ts'

export const listRenders = tool<{ limit?: number }>({
  name: 'list_renders',
  title: 'List renders',
  description: 'Lists the newest renders with their states. Free. get_render has the files.',
  hints: hints.reads,
  input: object({ 'limit?': integer(1, 50) }),
  output: object({ renders: { type: 'array', items: { type: 'object' } } }),
  async run({ limit = 10 }, { farm, signal }) {
    const jobs = await take(farm.listJobs({}, { signal }), limit)
    return facts({
      renders: jobs.map(({ id, name, state, progress }) => ({
        ...{ id, name: quotedInList(name), state, progress },
      })),
    })
  },
})
