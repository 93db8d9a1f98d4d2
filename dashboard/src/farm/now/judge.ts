import { jainIndex } from '../../../../core/queue/shares.ts'
import { duration } from '../../words/format.ts'
import type { Reply } from '../api/reply.ts'
import { poolName } from '../nodes/node-facts.ts'

export type Figures = Reply<'GET /api/operator/figures'>

/** Fault of the farm, in the words and under the name of the alert that tells it. */
export type Finding = { readonly alert: string; readonly words: string }

/** Limits of the alerts in infra/prometheus/rules/farm.yml; those wait some minutes before they ring. */
const queueOldSeconds = 600
const unfairBelow = 0.8
const wordsLateSeconds = 30
const webhooksStuckSeconds = 120

const nodeWords = {
  silent: ['FarmNodesSilent', 'fell silent without leaving'],
  paused: ['FarmNodesPaused', 'report that they take no tasks'],
  quarantined: ['FarmNodesQuarantined', 'fail tasks that other nodes complete'],
} as const

/** Judges the figures of this moment; nothing found: the farm is healthy. */
export function judge(figures: Figures): readonly Finding[] {
  const { queues, nodes, outbox, deliveries, shares } = figures
  const found: Finding[] = []
  const add = (alert: string, words: string) => found.push({ alert, words })
  const { queued, running } = totals(figures)
  if (queued > 0 && running === 0) add('FarmQueueStuck', `${queued} tasks wait and nothing runs`)
  for (const { pool, kind, unmatched, oldestSeconds } of queues) {
    const where = `(${kind}, pool ${pool ?? 'any'})`
    if (unmatched > 0) add('FarmTasksUnmatched', `No node can take ${unmatched} tasks ${where}`)
    if (oldestSeconds > queueOldSeconds) {
      add('FarmQueueOld', `A task ${where} waits since ${duration(oldestSeconds)}`)
    }
  }
  const fairness = jainIndex(shares)
  if (shares.length > 1 && fairness < unfairBelow) {
    const index = fairness.toFixed(2)
    add('FarmSharesUnfair', `Waiting accounts get unequal shares, Jain index ${index}`)
  }
  for (const { state, pool, nodes: count } of nodes) {
    const told = state in nodeWords ? nodeWords[state as keyof typeof nodeWords] : undefined
    if (told) add(told[0], `${count} nodes of pool ${poolName(pool)} ${told[1]}`)
  }
  if (outbox.oldestSeconds > wordsLateSeconds) {
    const late = duration(outbox.oldestSeconds)
    add('FarmTaskWordsLate', `Workflows have not received ended tasks for ${late}`)
  }
  if (deliveries.oldestUnstartedSeconds > webhooksStuckSeconds) {
    const late = duration(deliveries.oldestUnstartedSeconds)
    add('FarmWebhooksStuck', `Webhooks have waited for ${late} and none is sent`)
  }
  return found
}

export const runbookOf = (alert: string) => `docs/OPERATIONS.md#${alert.toLowerCase()}`

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
