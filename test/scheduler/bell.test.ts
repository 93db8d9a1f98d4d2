import test from 'ava'
import { Bell, type Fit } from '../../scheduler/bell.ts'

const render: Fit = { kinds: ['render'], pool: '', slots: 1 }
const ms = 60_000

/** Long-poll waiters, and the indexes of those that were woken. */
function startBell(fits: readonly Fit[]) {
  const bell = new Bell({ maxWaiting: 100 })
  const woken: number[] = []
  const places = fits.map((fit, index) => {
    const place = bell.join(fit, { ms })
    void place.wait().then((heard) => heard && woken.push(index))
    return place
  })
  const settled = async () => {
    await new Promise(setImmediate)
    return woken.splice(0)
  }
  return { bell, settled, leave: () => places.forEach((place) => void place.leave()) }
}

test('a task wakes one node, the one that has waited longest', async (t) => {
  const { bell, settled, leave } = startBell([render, render, render])
  bell.ring({ kind: 'render', pool: null, tasks: 1 })
  t.deepEqual(await settled(), [0])
  bell.ring({ kind: 'render', pool: null, tasks: 5 })
  t.deepEqual(await settled(), [1, 2])
  leave()
})

test('a notice wakes as many nodes as have slots for it', async (t) => {
  const wide = { kinds: ['bake'], pool: '', slots: 4 }
  const { bell, settled, leave } = startBell([wide, wide, wide])
  bell.ring({ kind: 'bake', pool: null, tasks: 5 })
  t.deepEqual(await settled(), [0, 1])
  leave()
})

test('each shard wakes a node, however many slots nodes have', async (t) => {
  const wide = { ...render, slots: 4 }
  const { bell, settled, leave } = startBell([wide, wide, wide])
  bell.ring({ kind: 'render', pool: null, tasks: 2 })
  t.deepEqual(await settled(), [0, 1])
  leave()
})

test('only nodes of the kind and of the pool are woken', async (t) => {
  const bake = { ...render, kinds: ['bake'] }
  const { bell, settled, leave } = startBell([bake, render, { ...render, pool: 'gpu' }])
  bell.ring({ kind: 'render', pool: 'gpu', tasks: 9 })
  t.deepEqual(await settled(), [2])
  leave()
})

test('a forwarded notice wakes two earlier waiters, none of them twice', async (t) => {
  const { bell, settled, leave } = startBell(Array.from({ length: 6 }, () => render))
  const late = bell.join(render, { ms })
  bell.ring({ kind: 'render', pool: null, tasks: 1 })
  t.deepEqual(await settled(), [0])
  const after = bell.join(render, { ms })
  const heard = { kind: 'render', pool: null, tasks: 1, at: 8 }
  bell.passOn(heard)
  t.deepEqual(await settled(), [1, 2])
  for (let turn = 0; turn < 9; turn += 1) bell.passOn(heard)
  t.deepEqual(await settled(), [3, 4, 5])
  t.like(await late.wait(), { at: 8 })
  let heardAfter = false
  void after.wait().then(() => (heardAfter = true))
  await settled()
  t.false(heardAfter, 'it came after the ring and has looked since')
  leave()
  late.leave()
  after.leave()
})

test('a ring for a node that has just found something else goes to others', async (t) => {
  const { bell, settled, leave } = startBell([])
  const busy = bell.join(render, { ms })
  const idle = bell.join(render, { ms })
  bell.ring({ kind: 'render', pool: null, tasks: 1 })
  busy.leave()
  t.like(await idle.wait(), { kind: 'render' })
  t.deepEqual(await settled(), [])
  idle.leave()
  leave()
})

test('a bell that is closed wakes everyone', async (t) => {
  const bell = new Bell({ maxWaiting: 2 })
  const [one, two] = [bell.join(render, { ms }), bell.join(render, { ms })]
  t.true(bell.isFull)
  bell.close()
  t.is(await one.wait(), undefined)
  t.is(await two.wait(), undefined)
  const late = bell.join(render, { ms })
  t.is(await late.wait(), undefined)
  for (const place of [one, two, late]) place.leave()
})
