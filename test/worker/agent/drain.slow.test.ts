import { once } from 'node:events'
import test from 'ava'
import { agentOf, schedulerOf, until } from './scheduler-of.ts'

test('a node whose grace is over aborts and hands back running work', async (t) => {
  t.timeout(30_000)
  const scheduler = await schedulerOf(t)
  let started = false
  let aborted = false
  const agent = agentOf(t, {
    address: scheduler.address,
    run: async (_, { signal }) => {
      started = true
      await once(signal, 'abort')
      aborted = true
      return { done: false, code: 'internal', message: '', field: '', logTail: '' }
    },
  })
  await agent.start()
  const [task] = scheduler.give()
  await until(t, () => started, 'the task runs')
  await agent.stop()
  t.true(aborted)
  t.like(scheduler.calls('drain').at(-1)?.request, {
    handedBack: [{ taskId: task?.id, attempt: 1 }],
  })
  t.is(scheduler.calls('fail').length, 0)
})
