import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import type { LeaseRequest } from '../../../proto/gen/farm/v1/node.ts'
import { RecentLines } from '../../../runtime/recent-lines.ts'
import type { RunTask } from '../../../worker/agent/agent.ts'
import type { Outcome } from '../../../worker/agent/run-task.ts'
import { agentOf, schedulerOf, until } from './scheduler-of.ts'

const done: Outcome = { done: true, result: { segments: [] } }

test('a node registers its offer, runs its tasks and reports the result', async (t) => {
  const scheduler = await schedulerOf(t)
  const { address } = scheduler
  const agent = agentOf(t, { address, run: async () => done, token: 'a-token-for-nodes' })
  await agent.start()
  const [task] = scheduler.give()
  await until(t, () => scheduler.calls('complete').length === 1, 'the result is told')
  t.like(scheduler.calls('complete')[0]?.request, {
    taskId: task?.id,
    attempt: 1,
    result: { segments: [] },
  })
  t.like(scheduler.calls('register')[0]?.request, { offer: { kinds: ['render'], slots: 2 } })
  t.deepEqual(scheduler.state.authorization, ['Bearer a-token-for-nodes'])
})

test('a node tells its usage when it leases and when it renews', async (t) => {
  const scheduler = await schedulerOf(t)
  scheduler.state.renewMs = 10
  const ends = Promise.withResolvers<Outcome>()
  const sizes = { memoryUsedMb: 900, memoryMb: 1000, diskUsedMb: 3, diskMb: 4 }
  const told = { cpu: 0.25, ...sizes }
  const { address } = scheduler
  await agentOf(t, { address, run: () => ends.promise, usage: async () => told }).start()
  scheduler.give()
  await until(t, () => scheduler.calls('renew').length > 0, 'it renews')
  t.like(scheduler.calls('lease')[0]?.request, { usage: told })
  t.like(scheduler.calls('renew')[0]?.request, { usage: told })
  ends.resolve(done)
})

test('a node that cannot read its usage works all the same', async (t) => {
  const scheduler = await schedulerOf(t)
  const usage = () => Promise.reject(new Error('no such disk'))
  await agentOf(t, { address: scheduler.address, run: async () => done, usage }).start()
  scheduler.give()
  await until(t, () => scheduler.calls('complete').length === 1, 'it works')
  t.is(scheduler.calls('lease')[0]?.request.usage, undefined)
})

test('a node never takes more tasks than it has slots', async (t) => {
  const scheduler = await schedulerOf(t)
  let running = 0
  let most = 0
  const run = async () => {
    running += 1
    most = Math.max(most, running)
    await sleep(40)
    running -= 1
    return done
  }
  await agentOf(t, { address: scheduler.address, run, slots: 3 }).start()
  scheduler.give(10)
  await until(t, () => scheduler.calls('complete').length === 10, 'ten tasks are done')
  t.is(most, 3)
})

test('a node asks for whole free slots only, never parts of one', async (t) => {
  const scheduler = await schedulerOf(t)
  const ends = Promise.withResolvers<Outcome>()
  await agentOf(t, { address: scheduler.address, run: () => ends.promise, slots: 3 }).start()
  scheduler.give(3, { slots: 0.5 })
  const asked = () => scheduler.calls('lease').map(({ request }) => (request as LeaseRequest).slots)
  await until(t, () => asked().at(-1) === 1, 'one slot of three is whole')
  ends.resolve(done)
  await until(t, () => asked().at(-1) === 3, 'all are free again')
  t.deepEqual([...new Set(asked())].sort(), [1, 3])
})

test('finished small tasks are reported while others still run', async (t) => {
  const scheduler = await schedulerOf(t)
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<Outcome>())
  let next = 0
  const run = () => ends[next++]?.promise ?? Promise.resolve(done)
  const agent = agentOf(t, { address: scheduler.address, run, slots: 3 })
  await agent.start()
  const tasks = scheduler.give(3, { slots: 0.125 })
  await until(t, () => next === 3, 'three small tasks run')
  ends[0]?.resolve(done)
  await until(t, () => scheduler.calls('complete').length === 1, 'one is told of by itself')
  ends[1]?.resolve(done)
  ends[2]?.resolve(done)
  await until(t, () => scheduler.calls('complete').length === 3, 'the last two are told of')
  const told = scheduler.calls('complete').map(({ request }) => request.taskId)
  t.deepEqual(told.toSorted(), tasks.map(({ id }) => id).toSorted())
})

test('a node that stops reports the small tasks it has done', async (t) => {
  const scheduler = await schedulerOf(t)
  const last = Promise.withResolvers<Outcome>()
  let next = 0
  const run = () => (next++ === 0 ? Promise.resolve(done) : last.promise)
  const agent = agentOf(t, { address: scheduler.address, run, slots: 2 })
  await agent.start()
  scheduler.give(2, { slots: 0.125 })
  await until(t, () => next === 2, 'two small tasks run')
  const stopped = agent.stop()
  await until(t, () => scheduler.calls('complete').length === 1, 'the first is told of')
  last.resolve(done)
  await stopped
  t.is(scheduler.calls('complete').length, 2)
})

test('a task knows what players want, until they want it no more', async (t) => {
  const scheduler = await schedulerOf(t)
  const ends = Promise.withResolvers<Outcome>()
  let wanted: () => readonly number[] = () => []
  const agent = agentOf(t, {
    address: scheduler.address,
    run: async (_, reports) => {
      wanted = reports.wanted
      return await ends.promise
    },
  })
  await agent.start()
  const [task] = scheduler.give()
  scheduler.state.wanted = [{ taskId: task?.id ?? '', attempt: 1, segments: [3, 1] }]
  await until(t, () => wanted().length > 0, 'it is told')
  t.deepEqual(wanted(), [3, 1])
  scheduler.state.wanted = []
  await until(t, () => wanted().length === 0, 'it is told that they have gone')
  ends.resolve(done)
  await until(t, () => scheduler.calls('complete').length === 1, 'it ends')
})

test('renewals bring new lines of a log only to those who follow', async (t) => {
  const scheduler = await schedulerOf(t)
  scheduler.state.renewMs = 10
  const ends = Promise.withResolvers<Outcome>()
  const log = new RecentLines()
  let isFollowed = () => false
  const run: RunTask = async (_, { follow }) => {
    const followed = follow(log)
    isFollowed = () => followed.isFollowed
    log.write('first\n')
    return await ends.promise
  }
  await agentOf(t, { address: scheduler.address, run }).start()
  const [task] = scheduler.give()
  const told = () => scheduler.calls('renew').flatMap(({ request }) => request.tasks)
  await until(t, () => told().length > 1, 'it renews')
  t.true(told().every((each) => each.log === undefined))
  const follow = (lines: number) => [{ taskId: task?.id ?? '', attempt: 1, lines }]
  scheduler.state.followed = follow(0)
  await until(t, () => told().some((each) => each.log?.lines[0] === 'first'), 'a line comes')
  t.true(isFollowed())
  scheduler.state.followed = follow(1)
  log.write('second\n')
  await until(t, () => told().at(-1)?.log?.from === 1, 'only the new line comes')
  t.deepEqual(told().at(-1)?.log, { from: 1, lines: ['second'] })
  scheduler.state.followed = []
  await until(t, () => !isFollowed(), 'nobody follows any more')
  ends.resolve(done)
  await until(t, () => scheduler.calls('complete').length === 1, 'it ends')
})

test('renewals carry progress; a task told to stop is aborted, not reported', async (t) => {
  const scheduler = await schedulerOf(t)
  let reason = ''
  const agent = agentOf(t, {
    address: scheduler.address,
    run: async (_, { signal, progress }) => {
      if (reason !== '') return done
      progress(7)
      progress(5)
      await once(signal, 'abort')
      reason = signal.reason.message
      return { done: false, code: 'internal', message: 'aborted', field: '', logTail: '' }
    },
  })
  await agent.start()
  const [task] = scheduler.give()
  await until(t, () => scheduler.calls('renew').length > 0, 'the lease is renewed')
  t.like(scheduler.calls('renew')[0]?.request, { tasks: [{ taskId: task?.id, framesDone: 12 }] })
  scheduler.state.stop = [{ taskId: task?.id ?? '', attempt: 1, reason: 'cancelled' }]
  await until(t, () => reason !== '', 'the task is aborted')
  t.is(reason, 'the attempt is cancelled')
  const [next] = scheduler.give()
  await until(t, () => scheduler.calls('complete').length === 1, 'the node works on')
  t.like(scheduler.calls('complete')[0]?.request, { taskId: next?.id })
  t.is(scheduler.calls('fail').length, 0)
})

test('finished segments are told within seconds, at most once a second', async (t) => {
  const scheduler = await schedulerOf(t)
  scheduler.state.renewMs = 60_000
  const [begun, ends] = [performance.now(), Promise.withResolvers<Outcome>()]
  const agent = agentOf(t, {
    address: scheduler.address,
    run: async (_, { written, signal }) => {
      for (let index = 0; !signal.aborted && index < 100; index += 1) {
        written(`segment-${index}`)
        await sleep(25)
      }
      return await ends.promise
    },
  })
  await agent.start()
  scheduler.give()
  const told = () =>
    scheduler.calls('renew').flatMap(({ request }) => request.tasks.at(-1)?.written.length ?? [])
  await until(t, () => told().at(-1) === 100, 'all are told of')
  const seconds = (performance.now() - begun) / 1000
  t.true(told().length <= seconds + 1, `${told().length} renewals in ${seconds} s`)
  ends.resolve(done)
})

test('an error is reported with code, field and log tail', async (t) => {
  const scheduler = await schedulerOf(t)
  const failure = {
    code: 'media_invalid',
    message: 'Broken.',
    field: 'a.src',
    logTail: 'why',
  } as const
  const run = async () => ({ done: false, ...failure }) as const
  await agentOf(t, { address: scheduler.address, run }).start()
  scheduler.give()
  await until(t, () => scheduler.calls('fail').length === 1, 'the failure is told')
  t.like(scheduler.calls('fail')[0]?.request, failure)
})

test('a report is retried until accepted, and its lease stays alive', async (t) => {
  const scheduler = await schedulerOf(t)
  const away = { rpc: 'complete', code: status.UNAVAILABLE } as const
  scheduler.state.refusals = [away, away]
  await agentOf(t, { address: scheduler.address, run: async () => done }).start()
  const [task] = scheduler.give()
  await until(t, () => scheduler.calls('complete').length === 3, 'the third report')
  t.like(scheduler.calls('renew')[0]?.request, { tasks: [{ taskId: task?.id }] })
})

test('a result without a scheduler is reported once there is one', async (t) => {
  const scheduler = await schedulerOf(t)
  const result = Promise.withResolvers<Outcome>()
  let started = false
  const run = () => {
    started = true
    return result.promise
  }
  await agentOf(t, { address: scheduler.address, run }).start()
  const [task] = scheduler.give()
  await until(t, () => started, 'the task runs')
  scheduler.leave()
  result.resolve(done)
  await sleep(500)
  t.is(scheduler.calls('complete').length, 0)
  await scheduler.comeBack()
  await until(t, () => scheduler.calls('complete').length === 1, 'the result is told')
  t.like(scheduler.calls('complete')[0]?.request, { taskId: task?.id, attempt: 1 })
})

test('a report refused for good is dropped and frees its slot', async (t) => {
  const scheduler = await schedulerOf(t)
  scheduler.state.refusals = [{ rpc: 'complete', code: status.FAILED_PRECONDITION }]
  await agentOf(t, { address: scheduler.address, run: async () => done, slots: 1 }).start()
  scheduler.give(2)
  await until(t, () => scheduler.calls('complete').length === 2, 'the second task')
  const ids = scheduler
    .calls('complete')
    .map(({ request }) => (request as { taskId: string }).taskId)
  t.not(ids[0], ids[1])
})

test('a node registers again at a scheduler that has forgotten it', async (t) => {
  const scheduler = await schedulerOf(t)
  scheduler.state.refusals = [
    { rpc: 'register', code: status.UNAVAILABLE },
    { rpc: 'lease', code: status.NOT_FOUND },
  ]
  await agentOf(t, { address: scheduler.address, run: async () => done }).start()
  scheduler.give()
  await until(t, () => scheduler.calls('complete').length === 1, 'work after all')
  t.is(scheduler.calls('register').length, 3)
})

test('a node that stops takes nothing more and finishes what it has', async (t) => {
  const scheduler = await schedulerOf(t)
  let finish = () => {}
  const working = new Promise<void>((resolve) => {
    finish = resolve
  })
  let started = false
  const run = async () => {
    started = true
    await working
    return done
  }
  const agent = agentOf(t, { address: scheduler.address, run })
  await agent.start()
  scheduler.give()
  await until(t, () => started, 'the task runs')
  const stopping = agent.stop()
  await until(t, () => scheduler.calls('drain').length === 1, 'the scheduler knows')
  const leases = scheduler.calls('lease').length
  scheduler.give()
  finish()
  await stopping
  t.is(scheduler.calls('complete').length, 1)
  t.is(scheduler.calls('lease').length, leases)
  t.like(scheduler.calls('drain')[0]?.request, { handedBack: [] })
})

test('a node without disk space pauses, says why, and resumes', async (t) => {
  const scheduler = await schedulerOf(t)
  let reason = 'its disk is full'
  const agent = agentOf(t, {
    address: scheduler.address,
    run: async () => done,
    pauseReason: async () => reason,
  })
  await agent.start()
  scheduler.give()
  const pauses = () => scheduler.calls('renew').map(({ request }) => Reflect.get(request, 'pause'))
  await until(t, () => pauses().length > 3, 'it goes on saying that it is there')
  t.true(pauses().every((pause) => pause === reason))
  t.is(scheduler.calls('lease').length, 0)
  reason = ''
  await until(t, () => scheduler.calls('complete').length === 1, 'it works again')
  t.is(pauses().at(-1), '')
})

test('a node stopped before any scheduler answered is not called ready', async (t) => {
  const agent = agentOf(t, { address: '127.0.0.1:1', run: async () => done })
  const started = agent.start()
  await agent.stop()
  t.false(await started)
})

test('an idle node is notified once', async (t) => {
  const scheduler = await schedulerOf(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  let told = 0
  const onIdle = () => {
    told += 1
    resolve()
  }
  const run = async () => done
  await agentOf(t, { address: scheduler.address, run, onIdle, idleAfterMs: 20 }).start()
  scheduler.give()
  await promise
  await sleep(100)
  t.is(told, 1)
})
