import test from 'ava'
import { Gate, GateFull } from '../../runtime/gate.ts'

/** Work that ends when it is told to. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more runs go on at once than there are places', async (t) => {
  const gate = new Gate(2)
  const held = [heldWork(), heldWork(), heldWork()]
  const begun: number[] = []
  const runs = held.map(({ work }, at) =>
    gate.run(async () => {
      begun.push(at)
      await work()
    }),
  )
  await settled()
  t.deepEqual(begun, [0, 1])
  held[0]?.end()
  await runs[0]
  await settled()
  t.deepEqual(begun, [0, 1, 2])
  for (const { end } of held) end()
  await Promise.all(runs)
})

test('a run that fails gives its place to the next', async (t) => {
  const gate = new Gate(1)
  await t.throwsAsync(
    gate.run(async () => {
      throw new Error('failed')
    }),
    { message: 'failed' },
  )
  t.is(await gate.run(async () => 7), 7)
})

test('an aborted wait leaves its turn to others', async (t) => {
  const gate = new Gate(1)
  const first = heldWork()
  const running = gate.run(first.work)
  const ending = new AbortController()
  const waiting = gate.run(async () => t.fail('it must not run'), ending.signal)
  const last = gate.run(async () => 'last')
  ending.abort(new Error('gone'))
  await t.throwsAsync(waiting, { message: 'gone' })
  first.end()
  await running
  t.is(await last, 'last')
})

test('a run beyond those that may wait is refused at once', async (t) => {
  const gate = new Gate(1, 1)
  const first = heldWork()
  const running = gate.run(first.work)
  const waiting = gate.run(async () => 'waited')
  await t.throwsAsync(
    gate.run(async () => t.fail('it must not run')),
    { instanceOf: GateFull },
  )
  first.end()
  await running
  t.is(await waiting, 'waited')
  t.is(await gate.run(async () => 7), 7, 'the refused one has left nothing behind')
})
