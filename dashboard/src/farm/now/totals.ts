import type { Reply } from '../api/reply.ts'

export type Figures = Reply<'GET /api/operator/figures'>

/** Sums over all pools and kinds. */
export function totals({ queues, leases, nodes, jobs }: Figures) {
  const sum = <T>(items: readonly T[], value: (item: T) => number) =>
    items.reduce((all, item) => all + value(item), 0)
  const working = nodes.filter(({ state }) => state === 'active')
  return {
    queued: sum(queues, ({ tasks }) => tasks),
    unmatched: sum(queues, ({ unmatched }) => unmatched),
    oldest: Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds)),
    running: sum(leases, ({ running }) => running),
    nodes: sum(working, (each) => each.nodes),
    known: sum(nodes, (each) => each.nodes),
    slots: sum(working, ({ slots }) => slots),
    jobs: sum(jobs, (each) => each.jobs),
  }
}
