import test from 'ava'
import { RecentLines } from '../../runtime/recent-lines.ts'

function linesOf(count: number, length = 1): RecentLines {
  const lines = new RecentLines()
  for (let at = 0; at < count; at += 1) lines.write(`${at} ${'x'.repeat(length)}\n`)
  return lines
}

test('lines are numbered from 0 and read from any number on', (t) => {
  const lines = linesOf(3)
  t.is(lines.end, 3)
  t.deepEqual(lines.since(1, 100), { from: 1, lines: ['1 x', '2 x'] })
  t.deepEqual(lines.since(3, 100), { from: 3, lines: [] })
})

test('no more bytes are read than asked for, in whole lines', (t) => {
  t.deepEqual(linesOf(3).since(0, 7), { from: 0, lines: ['0 x', '1 x'] })
})

test('the oldest lines go when 64 kB are full, numbers stay', (t) => {
  const lines = linesOf(100, 1_000)
  const { from, lines: kept } = lines.since(0, 1_000_000)
  t.is(lines.end, 100)
  t.is(from + kept.length, 100)
  t.true(kept.join('').length <= 65_536 && kept.join('').length > 63_000)
  t.true(kept[0]?.startsWith(`${from} `))
})

test('a very long line is cut', (t) => {
  t.is(linesOf(1, 9_000).since(0, 100_000).lines[0]?.length, 4_000)
})
