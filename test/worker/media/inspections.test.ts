import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import type { MediaFacts } from '../../../core/tasks.ts'
import { createInspections } from '../../../worker/media/inspections.ts'

const facts: MediaFacts = { kind: 'image', format: 'png', width: 3, height: 2, hasAlpha: false }

test('the same bytes are looked at once, also when they come twice at a time', async (t) => {
  const inspections = createInspections()
  let looks = 0
  const look = async () => {
    looks += 1
    await nextTurn()
    return facts
  }
  const both = [inspections.find('image a', look), inspections.find('image a', look)]
  t.deepEqual(await Promise.all(both), [facts, facts])
  t.is(await inspections.find('image a', look), facts)
  t.is(looks, 1)
  await inspections.find('gif a', look)
  t.is(looks, 2, 'what else decides the facts is part of the key')
})

test('a fault is told to its own task alone, and others look themselves', async (t) => {
  const inspections = createInspections()
  const broken = inspections.find('image a', async () => {
    await nextTurn()
    throw new Error('cancelled')
  })
  const waiting = inspections.find('image a', async () => facts)
  await t.throwsAsync(broken, { message: 'cancelled' })
  t.is(await waiting, facts)
  t.is(await inspections.find('image a', () => Promise.reject(new Error('kept'))), facts)
})
