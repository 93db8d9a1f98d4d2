import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { dashboards } from '../../core/charts/dashboards.ts'
import { listMetrics } from '../../infra/docs/metrics-table.ts'
import { dashboardJson } from '../../infra/grafana/panels.ts'
import { metricsIn } from './metrics-in.ts'

const infra = new URL('../../infra/', import.meta.url)
const rules = readFileSync(new URL('prometheus/rules/farm.yml', infra), 'utf8')
const operations = readFileSync(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8')
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)

test('names say their units, and labels are of closed sets', (t) => {
  const known = [
    ...['pool', 'kind', 'stage', 'state', 'reason', 'next', 'result', 'how', 'cache', 'gpu'],
    ...['method', 'route', 'status', 'code'],
    ...['task_queue', 'activity_type', 'operation', 'worker_type'],
    // Labels of Node's own metrics.
    ...['type', 'space', 'version', 'major', 'minor', 'patch'],
  ]
  for (const { name, type, labels } of listMetrics()) {
    t.regex(name, /^farm_[a-z0-9_]+$/)
    t.notRegex(name, /(milliseconds|_ms|megabytes|_mb|percent)(_|$)/)
    if (/^farm_(nodejs|process)_/.test(name)) continue
    t.is(name.endsWith('_total'), type === 'counter', name)
    for (const label of labels) t.true(known.includes(label), `${name} ${label}`)
  }
})

test('every metric that a dashboard or an alert names is there', (t) => {
  const known = new Set(listMetrics().map(({ name }) => name))
  for (const file of ['fleet', 'jobs', 'customers'].map((name) => `grafana/${name}.json`)) {
    const named = metricsIn(readFileSync(new URL(file, infra), 'utf8'))
    t.true(named.length > 3, file)
    t.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
      file,
    )
  }
  t.deepEqual(
    metricsIn(rules).filter((name) => !known.has(name)),
    [],
  )
})

test('the dashboards are those that their lists make', (t) => {
  const files = readdirSync(new URL('grafana', infra)).filter((name) => name.endsWith('.json'))
  t.deepEqual(
    files.sort(),
    Object.keys(dashboards)
      .map((name) => `${name}.json`)
      .sort(),
  )
  for (const [name, dashboard] of Object.entries(dashboards)) {
    const written = JSON.parse(readFileSync(new URL(`grafana/${name}.json`, infra), 'utf8'))
    t.deepEqual(written, dashboardJson(dashboard), 'run `npm run dashboards`')
  }
})

test('panels stand beside each other and not over each other', (t) => {
  type Placed = { id: number; gridPos: { x: number; y: number; w: number; h: number } }
  for (const dashboard of Object.values(dashboards)) {
    const { panels } = dashboardJson(dashboard) as { panels: Placed[] }
    const taken = new Set<string>()
    for (const { id, gridPos } of panels) {
      t.true(gridPos.x + gridPos.w <= 24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          t.false(taken.has(`${x} ${y}`), `${dashboard.title}, panel ${id}`)
          taken.add(`${x} ${y}`)
        }
      }
    }
  }
})

test('every alert has its steps in OPERATIONS, a severity and a case', (t) => {
  const cases = readFileSync(new URL('alerts.yml', import.meta.url), 'utf8')
  t.true(alerts.length > 10)
  t.is(new Set(alerts).size, alerts.length)
  const bodies = rules.split(/^ +- alert: /m).slice(1)
  for (const [index, name] of alerts.entries()) {
    const [, steps = ''] = operations.split(`\n### ${name}\n`)
    t.regex(steps.split('\n#')[0] ?? '', /\nCheck: [\s\S]+\nAct:/, name)
    t.true(bodies[index]?.includes(`runbook: docs/OPERATIONS.md#${name.toLowerCase()}\n`), name)
    t.regex(bodies[index] ?? '', /severity: (page|ticket)/)
    t.true(cases.includes(`alertname="${name}"`), name)
  }
  // The farm itself tells of these: Prometheus knows no single account, and no test of a receiver.
  const own = ['FarmBudget', 'FarmTest']
  const headings = [...operations.matchAll(/^### (Farm\w+)$/gm)].map(([, name = '']) => name)
  t.deepEqual(
    headings.filter((name) => !alerts.includes(name)),
    own,
  )
})
