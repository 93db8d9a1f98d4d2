import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { createOnceByKey } from '../../worker/once-by-key.ts'

const facts = { width: 3, height: 2 }

test('what was found out once is not looked for again, also when it is asked twice at a time', async (t) => {
  const known = createOnceByKey<typeof facts>()
  let looks = 0
  const look = async () => {
    looks += 1
    await nextTurn()
    return facts
  }
  const both = [known.get('image a', look), known.get('image a', look)]
  t.deepEqual(await Promise.all(both), [facts, facts])
  t.is(await known.get('image a', look), facts)
  t.is(looks, 1)
  await known.get('gif a', look)
  t.is(looks, 2)
})

test('a fault is told to its own task alone, and others look themselves', async (t) => {
  const known = createOnceByKey<typeof facts>()
  const broken = known.get('image a', async () => {
    await nextTurn()
    throw new Error('cancelled')
  })
  const waiting = known.get('image a', async () => facts)
  await t.throwsAsync(broken, { message: 'cancelled' })
  t.is(await waiting, facts)
  t.is(await known.get('image a', () => Promise.reject(new Error('kept'))), facts)
})
