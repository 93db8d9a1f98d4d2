import test from 'ava'
import { listed } from '../../core/listed.ts'

test('names are listed as in a sentence', (t) => {
  t.is(listed(['A'], 'or'), 'A')
  t.is(listed(['A', 'B'], 'and'), 'A and B')
  t.is(listed(['A', 'B', 'C'], 'or'), 'A, B or C')
})
