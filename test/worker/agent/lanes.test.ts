import test from 'ava'
import { noSpan } from '../../../runtime/tracing/tracing.ts'
import { createLanes } from '../../../worker/agent/lanes.ts'

type Work = { readonly name: string; readonly group?: string; readonly size?: number }

const never = new AbortController().signal

/** Order in which works get the only lane, which is taken when they all ask. */
async function orderOf(work: readonly Work[], signals: Readonly<Record<string, AbortSignal>> = {}) {
  const lanes = createLanes(1)
  const begun: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const first = lanes.run({ signal: never, span: noSpan }, () => released)
  const asked = work.map(({ name, group, size }) => {
    const of = {
      ...(group !== undefined && { group }),
      ...(size !== undefined && { size: () => size }),
    }
    return lanes.run({ signal: signals[name] ?? never, span: noSpan, ...of }, async () => {
      begun.push(name)
    })
  })
  const settled = Promise.allSettled(asked)
  return { begun, release, ended: () => Promise.all([first, settled]) }
}

test('single tasks get lanes in the order of their requests', async (t) => {
  const { begun, release, ended } = await orderOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  release()
  await ended()
  t.deepEqual(begun, ['a', 'b', 'c'])
})

test('a group’s turns go to its largest first; others keep theirs', async (t) => {
  const { begun, release, ended } = await orderOf([
    { name: 'film 65', group: 'film', size: 65 },
    { name: 'other 10', group: 'other', size: 10 },
    { name: 'film 118', group: 'film', size: 118 },
    { name: 'alone' },
    { name: 'film 95', group: 'film', size: 95 },
    { name: 'other 200', group: 'other', size: 200 },
  ])
  release()
  await ended()
  t.deepEqual(begun, ['film 118', 'other 200', 'film 95', 'alone', 'film 65', 'other 10'])
})

test('work stopped while waiting leaves its turn to its group', async (t) => {
  const stop = new AbortController()
  const work = [
    { name: 'small', group: 'film', size: 1 },
    { name: 'large', group: 'film', size: 2 },
    { name: 'last' },
  ]
  const { begun, release, ended } = await orderOf(work, { large: stop.signal })
  stop.abort(new Error('cancelled'))
  release()
  await ended()
  t.deepEqual(begun, ['small', 'last'])
})

test('a waiting size counts as it is once a lane is free', async (t) => {
  const lanes = createLanes(1)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const begun: string[] = []
  const sizes = { one: 1, two: 2 }
  const ask = (name: keyof typeof sizes) =>
    lanes.run(
      { signal: never, span: noSpan, group: 'film', size: () => sizes[name] },
      async () => void begun.push(name),
    )
  const all = [lanes.run({ signal: never, span: noSpan }, () => released), ask('one'), ask('two')]
  sizes.one = Number.POSITIVE_INFINITY
  release()
  await Promise.all(all)
  t.deepEqual(begun, ['one', 'two'])
})
