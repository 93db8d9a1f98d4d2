import test from 'ava'
import { jainIndex } from '../../core/shares.ts'

test('equal shares are fair, one that has all is 1/n, and nothing to share is no unfairness', (t) => {
  t.is(jainIndex([7, 7, 7]), 1)
  t.is(jainIndex([0, 5, 0, 0]), 1 / 4)
  t.is(jainIndex([3, 1]), 16 / 20)
  t.is(jainIndex([0, 0]), 1)
  t.is(jainIndex([]), 1)
})
