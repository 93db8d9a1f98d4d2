import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { createOnceByKey } from '../../runtime/once-by-key.ts'

const facts = { width: 3, height: 2 }

test('a known fact is looked up once, even when asked twice together', async (t) => {
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

test('a failure reaches its own task only, and others retry', async (t) => {
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
