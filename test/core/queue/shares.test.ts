import test from 'ava'
import { jainIndex } from '../../../core/queue/shares.ts'

test('fairness is 1 for equal or no shares, 1/n for one', (t) => {
  t.is(jainIndex([7, 7, 7]), 1)
  t.is(jainIndex([0, 5, 0, 0]), 1 / 4)
  t.is(jainIndex([3, 1]), 16 / 20)
  t.is(jainIndex([0, 0]), 1)
  t.is(jainIndex([]), 1)
})
