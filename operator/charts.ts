import { Type } from 'typebox'
import { findChart, prometheusCharts } from '../core/charts/charts.ts'
import { type KeptName, keptGroups } from '../core/charts/kept-figures.ts'
import type { Query } from '../core/charts/panels.ts'
import { FarmError } from '../core/errors.ts'
import { text } from '../core/project/schema/fields.ts'
import { type Line, type Prometheus, queryRange, rangeUntil } from '../runtime/prometheus.ts'
import type { Db } from '../store/db/database.ts'
import { listFigureSamples } from '../store/db/fleet/figure-samples.ts'
import { read } from './operation.ts'
import { Nullable } from './schemas.ts'

const weekMinutes = 7 * 24 * 60
const hourMinutes = 60
/** Most lines of a chart: more are unreadable. */
const mostLines = 30

const ChartSchema = Type.Object({
  name: Type.String(),
  title: Type.String(),
  about: Type.String({ description: 'Advice for when it looks wrong' }),
  unit: Type.String({ description: 'Unit in Grafana’s names' }),
  shown: Type.Enum(['number', 'lines', 'stack']),
})

export const listChartsOperation = read({
  ...{ id: 'operatorListCharts', path: '/charts', role: 'viewer' },
  summary: 'List the charts that there are, and where their values come from',
  answer: Type.Object({
    source: Type.Enum(['prometheus', 'kept'], {
      description: 'Prometheus at FARM_PROMETHEUS, or an hour of figures that the farm keeps',
    }),
    groups: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        rows: Type.Array(Type.Object({ title: Type.String(), charts: Type.Array(ChartSchema) })),
      }),
    ),
  }),
  async run({ prometheus }) {
    if (!prometheus()) return { source: 'kept' as const, groups: keptGroups }
    const groups = prometheusCharts.map(({ rows, ...group }) => ({
      ...group,
      rows: rows.map(({ title, charts }) => ({
        title,
        charts: charts.map(({ queries: _, ...chart }) => chart),
      })),
    }))
    return { source: 'prometheus' as const, groups }
  },
})

const Values = Type.Object({
  times: Type.Array(Type.Number({ description: 'Seconds since 1970' })),
  lines: Type.Array(
    Type.Object({
      label: Type.String(),
      values: Type.Array(Nullable(Type.Number()), { description: 'One at each of the times' }),
    }),
  ),
  fault: Nullable(Type.String({ description: 'Reason why values are missing' })),
})

export const readChartOperation = read({
  ...{ id: 'operatorReadChart', path: '/charts/:chart', role: 'viewer' },
  summary: 'Read the values of one chart',
  params: Type.Object({ chart: text(100, 1) }),
  query: Type.Object({
    minutes: Type.Optional(
      Type.Integer({
        ...{ minimum: 5, maximum: weekMinutes },
        description: `Time until now; ${hourMinutes} if absent. The farm itself keeps an hour`,
      }),
    ),
  }),
  answer: Values,
  async run({ db, prometheus }, { chart: name, minutes = hourMinutes }) {
    const source = prometheus()
    if (!source) return await readKept(db, { name, minutes })
    const chart = findChart(prometheusCharts, name) ?? noChart(name)
    return await ask(source, { queries: chart.queries, minutes })
  },
})

async function readKept(db: Db, { name, minutes }: { name: string; minutes: number }) {
  const { name: key, title } = findChart(keptGroups, name) ?? noChart(name)
  const samples = await listFigureSamples(db, { minutes })
  const values = samples.map(({ figures }) => figures[key as KeptName] ?? null)
  const times = samples.map(({ at }) => at.getTime() / 1000)
  return { times, lines: [{ label: title, values }], fault: null }
}

async function ask(
  source: Prometheus,
  { queries, minutes }: { queries: readonly Query[]; minutes: number },
) {
  const range = rangeUntil(Date.now(), minutes)
  const { from, to, step } = range
  const times = Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step)
  try {
    const answers = await Promise.all(
      queries.map(async (query) => {
        const lines = await queryRange(source, { ...range, expr: query.expr })
        return lines.map((line) => ({ label: labelOf(query, line), values: line.values }))
      }),
    )
    return { times, lines: answers.flat().slice(0, mostLines), fault: null }
  } catch (error) {
    return { times, lines: [], fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Fills the labels into a legend such as `{{kind}} in {{pool}}`; without one, it lists them. */
function labelOf({ label }: Query, { labels }: Line): string {
  if (label !== undefined) return label.replace(/\{\{(\w+)\}\}/g, (_, name) => labels[name] ?? '')
  const shown = Object.entries(labels).filter(([name]) => name !== '__name__')
  return shown.map(([name, value]) => `${name} ${value}`).join(', ') || 'value'
}

function noChart(name: string): never {
  const rule = 'CHART must be the name of a chart'
  throw new FarmError('not_found', `${rule}. Got ${name}, which does not exist`)
}
