import test from 'ava'
import {
  aloneAt,
  formatOf,
  latestOf,
  mostOf,
  stacked,
} from '../../../dashboard/src/farm/charts/chart-values.ts'
import { axisTimes } from '../../../dashboard/src/words/format.ts'

test('values without neighbours are found, so that they become dots', (t) => {
  t.deepEqual(aloneAt([null, 3, null, 4, 5, null, 0]), [1, 6])
  t.deepEqual(aloneAt([7]), [0])
  t.deepEqual(aloneAt([1, 2]), [])
  t.deepEqual(aloneAt([]), [])
})

test('a stack adds each line to those below it', (t) => {
  const lines = [
    [1, null, 3],
    [10, 20, null],
  ]
  t.deepEqual(stacked(lines), [
    [1, 0, 3],
    [11, 20, 3],
  ])
})

test('a legend has the latest and the largest value', (t) => {
  t.is(latestOf([1, 4, 2, null]), 2)
  t.is(mostOf([1, 4, null, 2]), 4)
  t.is(mostOf([null]), null)
  t.is(mostOf([-3, -1]), -1)
})

test('values are written in their unit', (t) => {
  t.is(formatOf('s')(0.0042), '4.2 ms')
  t.is(formatOf('percentunit')(0.256), '26 %')
  t.is(formatOf('ops')(1.234), '1.23/s')
  t.is(formatOf('short')(12_345), '12,345')
  t.is(formatOf('short')(null), '–')
})

test('an axis names the day only where a new one begins', (t) => {
  const at = Date.parse('2026-11-26T23:50:00Z') / 1000
  const times = [at, at + 600, at + 1200]
  t.deepEqual(axisTimes(times, { step: 600, zone: 'UTC' }), [
    '23:50\n26 Nov',
    '00:00\n27 Nov',
    '00:10',
  ])
  t.deepEqual(axisTimes([at, at + 86_400], { step: 86_400, zone: 'UTC' }), ['26 Nov', '27 Nov'])
  t.deepEqual(axisTimes([at], { step: 15, zone: 'UTC' }), ['23:50:00\n26 Nov'])
})
