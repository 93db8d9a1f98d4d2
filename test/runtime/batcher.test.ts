import test from 'ava'
import { Batcher } from '../../runtime/batcher.ts'

/** Answers ten times each number; every batch is held until its gate opens. */
function startBatcher({ most = 100, weigh = (_: number): number => 1 } = {}) {
  const batches: (readonly number[])[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const batcher = new Batcher<number, number>(
    async (asked) => {
      batches.push(asked)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
      return asked.map((each) => each * 10)
    },
    { most, weigh },
  )
  const turn = async () => {
    for (let i = 0; i < 5; i += 1) await new Promise(setImmediate)
  }
  return { batcher, batches, gates, turn }
}

test('requests that arrive during a batch form the next one', async (t) => {
  const { batcher, batches, gates, turn } = startBatcher()
  const first = batcher.submit(1)
  await turn()
  const others = [batcher.submit(2), batcher.submit(3), batcher.submit(4)]
  await turn()
  t.deepEqual(batches, [[1]])
  gates[0]?.resolve()
  t.is(await first, 10)
  await turn()
  t.deepEqual(batches, [[1], [2, 3, 4]])
  gates[1]?.resolve()
  t.deepEqual(await Promise.all(others), [20, 30, 40])
})

test('a failed batch fails its own requests only', async (t) => {
  const { batcher, gates, turn } = startBatcher()
  const failing = [batcher.submit(1), batcher.submit(2)]
  await turn()
  const next = batcher.submit(3)
  gates[0]?.reject(new Error('The database is away.'))
  for (const each of failing) await t.throwsAsync(each, { message: 'The database is away.' })
  await turn()
  gates[1]?.resolve()
  t.is(await next, 30)
})

test('an error as an answer is thrown to its own caller', async (t) => {
  const batcher = new Batcher<number, number>(
    async (asked) => asked.map((each) => (each === 2 ? new Error('Not two.') : each)),
    { most: 10 },
  )
  const answers = await Promise.allSettled([1, 2, 3].map((each) => batcher.submit(each)))
  t.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.like(answers[1], { reason: { message: 'Not two.' } })
})

test('no more are served at once than it may', async (t) => {
  const { batcher, batches, gates, turn } = startBatcher({ most: 2 })
  const all = [1, 2, 3].map((each) => batcher.submit(each))
  await turn()
  gates[0]?.resolve()
  await all[0]
  await turn()
  gates[1]?.resolve()
  t.deepEqual(await Promise.all(all), [10, 20, 30])
  t.deepEqual(batches, [[1, 2], [3]])
})

test('a request heavier than a batch is served alone', async (t) => {
  const { batcher, batches, gates, turn } = startBatcher({ most: 4, weigh: (each) => each })
  const all = [9, 3, 1, 2].map((each) => batcher.submit(each))
  for (let batch = 0; batch < 3; batch += 1) {
    await turn()
    gates[batch]?.resolve()
  }
  t.deepEqual(await Promise.all(all), [90, 30, 10, 20])
  t.deepEqual(batches, [[9], [3, 1], [2]])
})
