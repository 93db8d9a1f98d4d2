import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { graceMsOf, readConfig } from '../../../worker/config.ts'
import { agentOf, schedulerOf, until } from './scheduler-of.ts'

/** A node with one task that ends when `ended` does, or when it is aborted. */
async function working(t: ExecutionContext, drainGraceMs: number) {
  const scheduler = await schedulerOf(t)
  const seen = { started: false, aborted: false }
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const agent = agentOf(t, {
    address: scheduler.address,
    drainGraceMs,
    run: async (_, { signal }) => {
      seen.started = true
      await Promise.race([ended, once(signal, 'abort')])
      seen.aborted = signal.aborted
      return { done: true, result: {} }
    },
  })
  await agent.start()
  const [task] = scheduler.give()
  await until(t, () => seen.started, 'the task runs')
  return { scheduler, agent, seen, task, end }
}

test('a node whose grace is over aborts and hands back running work', async (t) => {
  const { scheduler, agent, seen, task } = await working(t, 300)
  await agent.stop()
  t.true(seen.aborted)
  t.like(scheduler.calls('drain').at(-1)?.request, {
    handedBack: [{ taskId: task?.id, attempt: 1 }],
  })
  t.is(scheduler.calls('complete').length + scheduler.calls('fail').length, 0)
})

test('a node with a longer grace finishes the same work', async (t) => {
  const { scheduler, agent, seen, task, end } = await working(t, 600_000)
  const stopped = agent.stop()
  await until(t, () => scheduler.calls('drain').length === 1, 'it told that it drains')
  end()
  await stopped
  t.false(seen.aborted)
  t.is(scheduler.calls('complete')[0]?.request.taskId, task?.id)
  t.deepEqual(scheduler.calls('drain').at(-1)?.request.handedBack, [])
})

test('FARM_DRAIN_SECONDS sets the grace of node and process', (t) => {
  const env = { FARM_SCHEDULER_ADDRESS: '127.0.0.1:7070' }
  t.is(readConfig(env).drainSeconds, 10)
  t.is(graceMsOf(readConfig(env)), 20_000)
  for (const seconds of [0, 8, 20, 90]) {
    const config = readConfig({ ...env, FARM_DRAIN_SECONDS: `${seconds}` })
    t.is(config.drainSeconds, seconds)
    t.is(graceMsOf(config), 1_000 * seconds + 10_000)
  }
  t.throws(() => readConfig({ ...env, FARM_DRAIN_SECONDS: '-1' }), {
    message: 'FARM_DRAIN_SECONDS must be an integer from 0 to 3600. Got "-1"',
  })
})
