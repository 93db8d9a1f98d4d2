import test from 'ava'
import { poolState } from '../../../core/fleet/pool-state.ts'

test('a pool says what its nodes do', (t) => {
  const of = (nodes: number, silent = 0, stopped = 0) => poolState({ nodes, silent, stopped })
  t.is(of(3), 'works')
  t.is(of(3, 1, 2), 'works, 1 silent, 2 stopped')
  t.is(of(0, 2), 'all silent')
  t.is(of(0, 0, 2), 'all stopped')
  t.is(of(0, 1, 2), '1 silent, 2 stopped')
  t.is(of(0), 'no nodes')
})
