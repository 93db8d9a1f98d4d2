import test from 'ava'
import { stopEffect } from '../../../dashboard/src/farm/nodes/drain-effect.ts'
import {
  type FarmNode,
  matching,
  sharesOf,
  stateOf,
} from '../../../dashboard/src/farm/nodes/node-facts.ts'
import { queryOf } from '../../../dashboard/src/farm/ui/query.ts'
import { quoted } from '../../../dashboard/src/farm/ui/quoted.ts'

const node = (given: Partial<FarmNode>, offer: object = {}): FarmNode => ({
  ...{ id: 'a', name: 'a', version: '1', state: 'active', stateReason: '', pause: '' },
  ...{
    stateSince: '2026-01-01T00:00:00Z',
    running: 0,
    succeeded: 0,
    failed: 0,
    silentSeconds: 1,
    usage: null,
  },
  ...given,
  offer: { pool: 'gpu', slots: 4, ...offer },
})

test('an active node may be silent or take no tasks', (t) => {
  t.is(stateOf(node({})), 'active')
  t.is(stateOf(node({ silentSeconds: 31 })), 'silent')
  t.is(stateOf(node({ pause: 'disk full' })), 'paused')
  t.is(stateOf(node({ state: 'draining', silentSeconds: 99 })), 'draining')
})

test('a drain tells its tasks and what is left of each pool', (t) => {
  const [a, b, c, d] = [
    node({ id: 'a', running: 3 }),
    node({ id: 'b', running: 1 }),
    node({ id: 'c', state: 'cordoned', running: 2 }, { pool: 'cpu' }),
    node({ id: 'd' }, { pool: 'cpu' }),
  ] as const
  const pools = [
    { pool: 'gpu', nodes: 2, slots: 8, silent: 0, stopped: 0, running: 4, slotsMax: 6 },
    { pool: 'cpu', nodes: 1, slots: 4, silent: 0, stopped: 0, running: 2, slotsMax: null },
  ]
  t.deepEqual(stopEffect([a, c], { nodes: [a, b, c, d], pools }), {
    tasks: 5,
    pools: [{ pool: 'gpu', slotsBefore: 8, slotsAfter: 4, running: 4, limit: 6 }],
  })
  t.deepEqual(stopEffect([d], { nodes: [a, b, c, d], pools }).pools, [
    { pool: 'cpu', slotsBefore: 4, slotsAfter: 0, running: 2, limit: null },
  ])
})

test('nodes are found by name, state and pool', (t) => {
  const nodes = [node({ id: '1', name: 'Render-1' }), node({ id: '2', name: 'x' }, { pool: '' })]
  const ids = (filter: object) => matching(nodes, filter).map(({ id }) => id)
  t.deepEqual(ids({}), ['1', '2'])
  t.deepEqual(ids({ q: 'render' }), ['1'])
  t.deepEqual(ids({ pool: '(none)' }), ['2'])
  t.deepEqual(ids({ state: 'silent' }), [])
})

test('a node in the list shows the used shares of its machine', (t) => {
  const usage = { cpu: 0.254, memoryUsedMb: 16, memoryMb: 64, diskUsedMb: 9, diskMb: 0 }
  t.deepEqual(sharesOf({ usage }), [
    ['Processor', '25 %'],
    ['Memory', '25 %'],
    ['Disk', '–'],
  ])
  t.deepEqual(new Set(sharesOf({ usage: null }).map(([, share]) => share)), new Set(['–']))
})

test('words of a command are quoted as a shell takes them', (t) => {
  t.is(quoted('render-1'), 'render-1')
  t.is(quoted("it's; rm -rf /"), `'it'\\''s; rm -rf /'`)
})

test('an address holds only what is chosen', (t) => {
  t.is(queryOf({ state: 'failed', q: '', pool: undefined }), '?state=failed')
  t.is(queryOf({}), '')
})
