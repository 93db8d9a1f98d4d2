/** Definitions of the farm's charts: Grafana gets them as dashboards, operators on their pages. */

/** `label`: legend of a line, with `{{label}}` for labels. */
export type Query = { readonly expr: string; readonly label?: string }

export type Panel = {
  readonly title: string
  /** Advice for when it looks wrong. */
  readonly about: string
  /** Width in 24ths of the page. */
  readonly width: 6 | 8 | 12 | 24
  readonly unit: Unit
} & (
  | { readonly shown: 'number' | 'lines' | 'stack'; readonly queries: readonly Query[] }
  /** A table read from Postgres. */
  | { readonly shown: 'table'; readonly sql: string }
)

/** Grafana's unit names. */
export type Unit = 'short' | 's' | 'percentunit' | 'ops' | 'bytes' | 'reqps' | 'none'

export type Dashboard = {
  readonly uid: string
  readonly title: string
  readonly about: string
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}
