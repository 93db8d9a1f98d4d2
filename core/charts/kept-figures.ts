import { jainIndex } from '../queue/shares.ts'
import type { Chart, ChartGroup } from './charts.ts'

/** Figures of the farm that are kept for an hour, for charts without Prometheus; ages in seconds. */
export type KeptFigures = Readonly<Record<KeptName, number>>

const keptCharts = {
  queued: { title: 'Tasks queued', unit: 'short' },
  oldest: { title: 'Wait of the oldest task', unit: 's' },
  running: { title: 'Tasks running', unit: 'short' },
  slots: { title: 'Slots of nodes that take work', unit: 'short' },
  nodes: { title: 'Nodes that take work', unit: 'short' },
  fairness: { title: 'Fairness (Jain)', unit: 'none' },
  webhooks: { title: 'Webhooks pending', unit: 'short' },
  words: { title: 'Events unsent', unit: 'short' },
} as const satisfies Readonly<Record<string, Pick<Chart, 'title' | 'unit'>>>

export type KeptName = keyof typeof keptCharts

const about = 'Kept by the farm itself for an hour.'

export const keptGroups: readonly ChartGroup[] = [
  {
    ...{ name: 'farm', title: 'farm' },
    rows: [
      {
        title: 'Last hour',
        charts: Object.entries(keptCharts).map(([name, chart]) => ({
          ...{ ...chart, name, about, shown: 'lines' as const },
        })),
      },
    ],
  },
]

/** The part of the farm's figures that is kept. */
export type FiguresToKeep = {
  readonly queues: readonly { readonly tasks: number; readonly oldestSeconds: number }[]
  readonly leases: readonly { readonly running: number }[]
  readonly nodes: readonly {
    readonly state: string
    readonly nodes: number
    readonly slots: number
  }[]
  readonly shares: readonly number[]
  readonly outbox: { readonly unsent: number }
  readonly deliveries: { readonly pending: number }
}

/** Sums the figures over all pools and kinds. */
export function figuresToKeep({
  queues,
  leases,
  nodes,
  shares,
  outbox,
  deliveries,
}: FiguresToKeep): KeptFigures {
  const sum = <T>(items: readonly T[], value: (item: T) => number) =>
    items.reduce((all, item) => all + value(item), 0)
  const working = nodes.filter(({ state }) => state === 'active')
  return {
    queued: sum(queues, ({ tasks }) => tasks),
    oldest: Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds)),
    running: sum(leases, ({ running }) => running),
    slots: sum(working, ({ slots }) => slots),
    nodes: sum(working, (each) => each.nodes),
    fairness: jainIndex(shares),
    webhooks: deliveries.pending,
    words: outbox.unsent,
  }
}
