import test from 'ava'
import pg from 'pg'
import { batchStatements } from '../../../store/db/batch-statements.ts'

/** Doubles numbers; refuses a batch with a negative one. Records its batches. */
function doubling(batches: (readonly number[])[]) {
  return async (numbers: readonly number[]) => {
    batches.push(numbers)
    if (numbers.some((number) => number < 0)) throw new Error('A number must be positive.')
    return numbers.map((number) => number * 2)
  }
}

test('concurrent requests form one statement', async (t) => {
  const batches: (readonly number[])[] = []
  const asked = batchStatements(doubling(batches), { most: 3 })
  t.deepEqual(await Promise.all([1, 2, 3, 4].map((each) => asked.submit(each))), [2, 4, 6, 8])
  t.deepEqual(batches, [[1, 2, 3], [4]])
})

test('a refused request fails no other of its batch', async (t) => {
  const asked = batchStatements(doubling([]), { most: 10 })
  const answers = await Promise.allSettled([1, -2, 3].map((each) => asked.submit(each)))
  t.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.is(await asked.submit(4), 8)
})

test('a database that is away is not asked again for each', async (t) => {
  let times = 0
  const away = new pg.DatabaseError('the server is going away', 1, 'error')
  away.code = '57P01'
  const asked = batchStatements<number, number>(
    async () => {
      times += 1
      throw away
    },
    { most: 10 },
  )
  const answers = await Promise.allSettled([1, 2, 3].map((each) => asked.submit(each)))
  t.true(answers.every((answer) => answer.status === 'rejected' && answer.reason === away))
  t.is(times, 1)
})

test('questions of one key are asked in turn, each with its answer', async (t) => {
  const batches: (readonly number[])[] = []
  const keyOf = (number: number) => (number % 2 === 0 ? 'even' : `${number}`)
  const asked = batchStatements(doubling(batches), { most: 10, keyOf })
  t.deepEqual(
    await Promise.all([2, 1, 4, 3, 6].map((each) => asked.submit(each))),
    [4, 2, 8, 6, 12],
  )
  t.deepEqual(batches, [[2, 1, 3], [4], [6]])
})

test('undefined is a valid answer', async (t) => {
  const asked = batchStatements<string, undefined>(async (names) => names.map(() => undefined), {
    ...{ most: 10, keyOf: (name) => name },
  })
  t.deepEqual(await Promise.all([asked.submit('a'), asked.submit('a')]), [undefined, undefined])
})
