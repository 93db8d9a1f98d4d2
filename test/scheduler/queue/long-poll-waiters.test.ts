import test from 'ava'
import { type Fit, LongPollWaiters } from '../../../scheduler/queue/long-poll-waiters.ts'

const render: Fit = { kinds: ['render'], pool: '', slots: 1 }
const ms = 60_000

/** Long-poll waiters, and the indexes of those that were woken. */
function startWaiters(fits: readonly Fit[]) {
  const waiters = new LongPollWaiters({ maxWaiting: 100 })
  const woken: number[] = []
  const tickets = fits.map((fit, index) => {
    const ticket = waiters.join(fit, { ms })
    void ticket.wait().then((notified) => notified && woken.push(index))
    return ticket
  })
  const settled = async () => {
    await new Promise(setImmediate)
    return woken.splice(0)
  }
  return { waiters, settled, leave: () => tickets.forEach((ticket) => void ticket.leave()) }
}

test('a task wakes one node, the one that has waited longest', async (t) => {
  const { waiters, settled, leave } = startWaiters([render, render, render])
  waiters.notify({ kind: 'render', pool: null, tasks: 1 })
  t.deepEqual(await settled(), [0])
  waiters.notify({ kind: 'render', pool: null, tasks: 5 })
  t.deepEqual(await settled(), [1, 2])
  leave()
})

test('a notice wakes as many nodes as have slots for it', async (t) => {
  const wide = { kinds: ['bake'], pool: '', slots: 4 }
  const { waiters, settled, leave } = startWaiters([wide, wide, wide])
  waiters.notify({ kind: 'bake', pool: null, tasks: 5 })
  t.deepEqual(await settled(), [0, 1])
  leave()
})

test('each shard wakes a node, however many slots nodes have', async (t) => {
  const wide = { ...render, slots: 4 }
  const { waiters, settled, leave } = startWaiters([wide, wide, wide])
  waiters.notify({ kind: 'render', pool: null, tasks: 2 })
  t.deepEqual(await settled(), [0, 1])
  leave()
})

test('only nodes of the kind and of the pool are woken', async (t) => {
  const bake = { ...render, kinds: ['bake'] }
  const { waiters, settled, leave } = startWaiters([bake, render, { ...render, pool: 'gpu' }])
  waiters.notify({ kind: 'render', pool: 'gpu', tasks: 9 })
  t.deepEqual(await settled(), [2])
  leave()
})

test('a forwarded notice wakes two earlier waiters, none of them twice', async (t) => {
  const { waiters, settled, leave } = startWaiters(Array.from({ length: 6 }, () => render))
  const late = waiters.join(render, { ms })
  waiters.notify({ kind: 'render', pool: null, tasks: 1 })
  t.deepEqual(await settled(), [0])
  const after = waiters.join(render, { ms })
  const notified = { kind: 'render', pool: null, tasks: 1, at: 8 }
  waiters.forward(notified)
  t.deepEqual(await settled(), [1, 2])
  for (let turn = 0; turn < 9; turn += 1) waiters.forward(notified)
  t.deepEqual(await settled(), [3, 4, 5])
  t.like(await late.wait(), { at: 8 })
  let notifiedAfter = false
  void after.wait().then(() => (notifiedAfter = true))
  await settled()
  t.false(notifiedAfter, 'it came after the ring and has looked since')
  leave()
  late.leave()
  after.leave()
})

test('a notice for a node that just found something goes to others', async (t) => {
  const { waiters, settled, leave } = startWaiters([])
  const busy = waiters.join(render, { ms })
  const idle = waiters.join(render, { ms })
  waiters.notify({ kind: 'render', pool: null, tasks: 1 })
  busy.leave()
  t.like(await idle.wait(), { kind: 'render' })
  t.deepEqual(await settled(), [])
  idle.leave()
  leave()
})

test('closing wakes everyone', async (t) => {
  const waiters = new LongPollWaiters({ maxWaiting: 2 })
  const [one, two] = [waiters.join(render, { ms }), waiters.join(render, { ms })]
  t.true(waiters.isFull)
  waiters.close()
  t.is(await one.wait(), undefined)
  t.is(await two.wait(), undefined)
  const late = waiters.join(render, { ms })
  t.is(await late.wait(), undefined)
  for (const ticket of [one, two, late]) ticket.leave()
})
