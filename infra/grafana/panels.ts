import type { Dashboard, Panel } from '../../core/charts/panels.ts'

const columns = 24
const heights = { number: 4, lines: 8, stack: 8, table: 9 } as const
const prometheus = { type: 'prometheus', uid: '$prometheus' }
const postgres = { type: 'grafana-postgresql-datasource', uid: '$postgres' }

/** Returns the dashboard as Grafana imports it; its data sources are chosen at its top. */
export function dashboardJson({ uid, title, about, rows }: Dashboard): object {
  const usesPostgres = rows.some(({ panels }) => panels.some(({ shown }) => shown === 'table'))
  return {
    ...{ uid, title, description: about, tags: ['farm'], editable: true },
    ...{ schemaVersion: 39, version: 1, refresh: '30s', timezone: 'browser' },
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        sourceVariable('prometheus', 'prometheus'),
        ...(usesPostgres ? [sourceVariable('postgres', postgres.type)] : []),
      ],
    },
    panels: placed(rows),
  }
}

function sourceVariable(name: string, query: string): object {
  return { name, label: name, type: 'datasource', query, refresh: 1, hide: 0 }
}

/** Places panels from left to right, row below row; ids in this order. */
function placed(rows: Dashboard['rows']): object[] {
  const all: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    all.push({ id: all.length + 1, type: 'row', title, gridPos: { x: 0, y, w: columns, h: 1 } })
    y += 1
    let x = 0
    let height = 0
    for (const panel of panels) {
      if (x + panel.width > columns) {
        x = 0
        y += height
        height = 0
      }
      const h = heights[panel.shown]
      all.push({
        id: all.length + 1,
        gridPos: { x, y, w: panel.width, h },
        ...panelJson(panel),
      })
      x += panel.width
      height = Math.max(height, h)
    }
    y += height
  }
  return all
}

function panelJson(panel: Panel): object {
  const { title, about: description, unit } = panel
  if (panel.shown === 'table') {
    const target = { refId: 'A', format: 'table', rawQuery: true, rawSql: panel.sql }
    return { type: 'table', title, description, datasource: postgres, targets: [target] }
  }
  const stacking = panel.shown === 'stack' ? { stacking: { mode: 'normal' }, fillOpacity: 40 } : {}
  const isNumber = panel.shown === 'number'
  return {
    ...{ type: isNumber ? 'stat' : 'timeseries', title, description, datasource: prometheus },
    fieldConfig: {
      defaults: { unit, min: 0, ...(!isNumber && { custom: { fillOpacity: 8, ...stacking } }) },
      overrides: [],
    },
    options: isNumber
      ? { colorMode: 'value', graphMode: 'area', reduceOptions: { calcs: ['lastNotNull'] } }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: panel.queries.map(({ expr, label }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      expr,
      legendFormat: label ?? '__auto',
    })),
  }
}
