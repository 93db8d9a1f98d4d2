import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createWordHold } from '../../workflows/word-hold.ts'

function holding() {
  const sent: [string, readonly number[]][] = []
  const hold = createWordHold<number>(async (group, words) => void sent.push([group, words]))
  return { sent, hold }
}

test('words for one workflow that come together are sent together, each workflow’s alone', async (t) => {
  const { sent, hold } = holding()
  for (const word of [1, 2, 3]) hold.add('one', word)
  hold.add('other', 4)
  t.deepEqual(sent, [])
  while (sent.length < 2) await sleep(10)
  t.deepEqual(sent, [
    ['one', [1, 2, 3]],
    ['other', [4]],
  ])
})

test('words that keep coming are sent by and by, and many at once', async (t) => {
  const { sent, hold } = holding()
  for (let word = 0; sent.length === 0; word++) {
    hold.add('one', word)
    await sleep(100)
  }
  t.true((sent[0]?.[1].length ?? 0) > 1)
  sent.length = 0
  for (let word = 0; word < 40; word++) hold.add('many', word)
  t.is(sent.filter(([group]) => group === 'many').length, 2)
})

test('words after which none is to come are not held', async (t) => {
  const { sent, hold } = holding()
  hold.add('one', 1)
  hold.add('one', 2)
  hold.add('other', 3)
  hold.send('one')
  hold.send('one')
  t.deepEqual(sent, [['one', [1, 2]]])
  await hold.sendAll()
})

test('stopping sends all held events', async (t) => {
  const { sent, hold } = holding()
  hold.add('one', 1)
  await hold.sendAll()
  t.deepEqual(sent, [['one', [1]]])
  await hold.sendAll()
  t.is(sent.length, 1)
})
