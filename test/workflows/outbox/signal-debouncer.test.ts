import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createSignalDebouncer } from '../../../workflows/outbox/signal-debouncer.ts'

function holding() {
  const sent: [string, readonly number[]][] = []
  const debouncer = createSignalDebouncer<number>(
    async (group, events) => void sent.push([group, events]),
  )
  return { sent, debouncer }
}

test('events of one workflow that come together are sent together', async (t) => {
  const { sent, debouncer } = holding()
  for (const event of [1, 2, 3]) debouncer.add('one', event)
  debouncer.add('other', 4)
  t.deepEqual(sent, [])
  while (sent.length < 2) await sleep(10)
  t.deepEqual(sent, [
    ['one', [1, 2, 3]],
    ['other', [4]],
  ])
})

test('events that keep coming are sent in time, and many at once', async (t) => {
  const { sent, debouncer } = holding()
  for (let event = 0; sent.length === 0; event++) {
    debouncer.add('one', event)
    await sleep(100)
  }
  t.true((sent[0]?.[1].length ?? 0) > 1)
  sent.length = 0
  for (let event = 0; event < 40; event++) debouncer.add('many', event)
  t.is(sent.filter(([group]) => group === 'many').length, 2)
})

test('events that none follow are not held', async (t) => {
  const { sent, debouncer } = holding()
  debouncer.add('one', 1)
  debouncer.add('one', 2)
  debouncer.add('other', 3)
  debouncer.send('one')
  debouncer.send('one')
  t.deepEqual(sent, [['one', [1, 2]]])
  await debouncer.sendAll()
})

test('stopping sends all held events', async (t) => {
  const { sent, debouncer } = holding()
  debouncer.add('one', 1)
  await debouncer.sendAll()
  t.deepEqual(sent, [['one', [1]]])
  await debouncer.sendAll()
  t.is(sent.length, 1)
})
