import { readFileSync } from 'node:fs'
import test from 'ava'
import { stopEffect } from '../../dashboard/src/farm/nodes/drain-effect.ts'
import { type FarmNode, matching, stateOf } from '../../dashboard/src/farm/nodes/node-facts.ts'
import { type Figures, judge, runbookOf } from '../../dashboard/src/farm/now/judge.ts'
import { queryOf } from '../../dashboard/src/farm/ui/query.ts'
import { quoted } from '../../dashboard/src/farm/ui/quoted.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const healthy: Figures = {
  ...{ queues: [], leases: [], nodes: [], limits: [], shares: [], jobs: [] },
  outbox: { unsent: 0, oldestSeconds: 0 },
  deliveries: { pending: 0, oldestUnstartedSeconds: 0 },
  doomedObjects: 0,
}
const group = { nodes: 2, slots: 8, encoderSessions: 0 }
const ill: Figures = {
  ...healthy,
  queues: [{ pool: null, kind: 'render', tasks: 5, unmatched: 3, oldestSeconds: 700 }],
  nodes: (['silent', 'paused', 'quarantined'] as const).map((state) => ({
    ...{ ...group, pool: 'gpu', state },
  })),
  shares: [1, 0, 0],
  outbox: { unsent: 1, oldestSeconds: 31 },
  deliveries: { pending: 1, oldestUnstartedSeconds: 121 },
}

test('what is wrong is said in the words of its alert', (t) => {
  const rules = read('infra/prometheus/rules/farm.yml').replaceAll(/\n {12}/g, ' ')
  const runbooks = read('docs/OPERATIONS.md').toLowerCase()
  t.deepEqual(judge(healthy), [])
  const found = judge(ill)
  t.is(found.length, 9)
  for (const { alert, words } of found) {
    const rule = rules.split('- alert: ').find((each) => each.startsWith(`${alert}\n`)) ?? ''
    const summary = /summary: (?:>-)?\s*'?(.*?)'?\n/.exec(rule)?.[1] ?? ''
    const expected = summary
      .split(/\{\{.*?\}\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+')
    t.true(summary.length > 10, alert)
    t.regex(words, new RegExp(`^${expected}$`))
    t.true(rule.includes(runbookOf(alert)), alert)
    t.true(runbooks.includes(`# ${alert.toLowerCase()}`), `${alert} has a runbook`)
  }
})

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
    { pool: 'gpu', nodes: 2, slots: 8, running: 4, slotsMax: 6 },
    { pool: 'cpu', nodes: 1, slots: 4, running: 2, slotsMax: null },
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

test('words of a command are quoted as a shell takes them', (t) => {
  t.is(quoted('render-1'), 'render-1')
  t.is(quoted("it's; rm -rf /"), `'it'\\''s; rm -rf /'`)
})

test('an address holds only what is chosen', (t) => {
  t.is(queryOf({ state: 'failed', q: '', pool: undefined }), '?state=failed')
  t.is(queryOf({}), '')
})
