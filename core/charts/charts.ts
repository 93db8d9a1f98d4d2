import { dashboards } from './dashboards.ts'
import type { Panel, Query, Unit } from './panels.ts'

/** A chart of the operators' pages. It is asked for by its name, never by a query. */
export type Chart = {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly unit: Unit
  /** `stack`: areas on top of one another. `number`: the latest value counts. */
  readonly shown: 'number' | 'lines' | 'stack'
}

export type PrometheusChart = Chart & { readonly queries: readonly Query[] }

/** A group of charts, as `fleet`; its rows have titles. */
export type ChartGroup<C extends Chart = Chart> = {
  readonly name: string
  readonly title: string
  readonly rows: readonly { readonly title: string; readonly charts: readonly C[] }[]
}

/** The panels of the dashboards that Prometheus answers; those that ask Postgres are left out. */
export const prometheusCharts: readonly ChartGroup<PrometheusChart>[] = Object.entries(
  dashboards,
).map(([name, { title, rows }]) => ({
  name,
  title: title.replace(/^Farm: /, ''),
  rows: rows
    .map((row) => ({
      title: row.title,
      charts: row.panels.flatMap((panel) => chartOf(name, panel)),
    }))
    .filter(({ charts }) => charts.length > 0),
}))

function chartOf(group: string, panel: Panel): readonly PrometheusChart[] {
  if (panel.shown === 'table') return []
  const { title, about, unit, shown, queries } = panel
  return [{ name: `${group}-${slugOf(title)}`, title, about, unit, shown, queries }]
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Returns the chart of a name; undefined: there is none. */
export function findChart<C extends Chart>(
  groups: readonly ChartGroup<C>[],
  name: string,
): C | undefined {
  const charts = groups.flatMap(({ rows }) => rows.flatMap((row) => row.charts))
  return charts.find((chart) => chart.name === name)
}
