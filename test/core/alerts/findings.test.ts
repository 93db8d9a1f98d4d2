import { readFileSync } from 'node:fs'
import test from 'ava'
import { type AlertFigures, alerts, findFaults, runbookOf } from '../../../core/alerts/findings.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const healthy: AlertFigures = {
  ...{ queues: [], leases: [], nodes: [], shares: [] },
  outbox: { oldestSeconds: 0 },
  deliveries: { oldestUnstartedSeconds: 0 },
}
const group = { nodes: 2 }
const ill: AlertFigures = {
  ...healthy,
  queues: [{ pool: null, kind: 'render', tasks: 5, unmatched: 3, oldestSeconds: 700 }],
  nodes: (['silent', 'paused', 'quarantined'] as const).map((state) => ({
    ...{ ...group, pool: 'gpu', state },
  })),
  shares: [1, 0, 0],
  outbox: { oldestSeconds: 31 },
  deliveries: { oldestUnstartedSeconds: 121 },
}

test('what is wrong is said in the words of its alert', (t) => {
  const rules = read('infra/prometheus/rules/farm.yml').replaceAll(/\n {12}/g, ' ')
  const runbooks = read('docs/OPERATIONS.md').toLowerCase()
  t.deepEqual(findFaults(healthy), [])
  const found = findFaults(ill)
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

test('one task and one node are told in the singular', (t) => {
  const queues = [{ pool: null, kind: 'render', tasks: 1, unmatched: 1, oldestSeconds: 0 }]
  const nodes = ill.nodes.map((each) => ({ ...each, nodes: 1 }))
  t.deepEqual(
    findFaults({ ...healthy, queues, nodes }).map(({ words }) => words),
    [
      '1 task waits and nothing runs',
      'No node can take 1 task (render, pool any)',
      '1 node of pool gpu fell silent without leaving',
      '1 node of pool gpu reports that it takes no tasks',
      '1 node of pool gpu fails tasks that other nodes complete',
    ],
  )
})

test('an alert rings as long after its fault as Prometheus’s does', (t) => {
  const rules = read('infra/prometheus/rules/farm.yml').split('- alert: ')
  for (const [name, { severity, afterSeconds }] of Object.entries(alerts)) {
    // Prometheus has no figure of single accounts.
    if (name === 'FarmBudget') continue
    const rule = rules.find((each) => each.startsWith(`${name}\n`)) ?? ''
    t.is(/severity: (\w+)/.exec(rule)?.[1], severity, name)
    t.is(Number(/for: (\d+)m/.exec(rule)?.[1]) * 60, afterSeconds, name)
  }
})

test('faults of several pools are told apart', (t) => {
  const found = findFaults({
    ...ill,
    nodes: [...ill.nodes, { ...group, pool: '', state: 'silent' }],
  })
  const places = found.map(({ alert, where }) => `${alert} ${where}`)
  t.is(new Set(places).size, found.length)
})
