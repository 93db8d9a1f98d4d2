import test from 'ava'
import { findChart, prometheusCharts } from '../../../core/charts/charts.ts'
import { figuresToKeep, keptGroups } from '../../../core/charts/kept-figures.ts'

const namesOf = (groups: typeof keptGroups) =>
  groups.flatMap(({ rows }) => rows.flatMap(({ charts }) => charts.map(({ name }) => name)))

test('every chart has a name of its own', (t) => {
  for (const groups of [prometheusCharts, keptGroups]) {
    const names = namesOf(groups)
    t.is(new Set(names).size, names.length)
    for (const name of names) t.regex(name, /^[a-z0-9-]{3,100}$/)
  }
  t.true(namesOf(prometheusCharts).includes('fleet-age-of-the-oldest-task'))
})

test('a chart is found by its name alone', (t) => {
  t.is(findChart(prometheusCharts, 'fleet-depth')?.title, 'Depth')
  t.is(findChart(prometheusCharts, 'sum(up)'), undefined)
  t.is(findChart(prometheusCharts, 'customers-waiting-accounts'), undefined, 'it asks Postgres')
})

test('kept figures are sums over pools and kinds', (t) => {
  const figures = figuresToKeep({
    queues: [
      { tasks: 2, oldestSeconds: 5 },
      { tasks: 3, oldestSeconds: 9 },
    ],
    leases: [{ running: 4 }, { running: 1 }],
    nodes: [
      { state: 'active', nodes: 2, slots: 8 },
      { state: 'silent', nodes: 7, slots: 70 },
    ],
    shares: [1, 1],
    outbox: { unsent: 6 },
    deliveries: { pending: 7 },
  })
  t.deepEqual(figures, {
    ...{ queued: 5, oldest: 9, running: 5, slots: 8, nodes: 2, fairness: 1 },
    ...{ webhooks: 7, words: 6 },
  })
  t.deepEqual(namesOf(keptGroups).toSorted(), Object.keys(figures).toSorted())
})
