import { counted } from '../counted.ts'
import { duration } from '../duration.ts'
import { jainIndex } from '../queue/shares.ts'

/** Figures of the whole farm that alerts are judged by; ages in seconds. */
export type AlertFigures = {
  readonly queues: readonly {
    readonly pool: string | null
    readonly kind: string
    readonly tasks: number
    /** Tasks among them that no node which takes work could take. */
    readonly unmatched: number
    readonly oldestSeconds: number
  }[]
  readonly leases: readonly { readonly running: number }[]
  readonly nodes: readonly {
    readonly pool: string
    readonly state: string
    readonly nodes: number
  }[]
  readonly shares: readonly number[]
  readonly outbox: { readonly oldestSeconds: number }
  readonly deliveries: { readonly oldestUnstartedSeconds: number }
}

/** `page` wakes somebody; `ticket` waits for the morning. */
export const severities = ['page', 'ticket'] as const
export type Severity = (typeof severities)[number]

/** Fault of the farm, in the words and under the name of the alert that tells it. */
export type Finding = {
  readonly alert: AlertName
  /** Pool and kind, account, …; empty: the whole farm. With `alert`, the identity of the fault. */
  readonly where: string
  readonly words: string
}

/** Severity, and the time that a fault must last before it rings; as in infra/prometheus/rules/farm.yml. */
export const alerts = {
  FarmQueueStuck: { severity: 'page', afterSeconds: 180 },
  FarmTasksUnmatched: { severity: 'page', afterSeconds: 180 },
  FarmQueueOld: { severity: 'ticket', afterSeconds: 300 },
  FarmSharesUnfair: { severity: 'ticket', afterSeconds: 600 },
  FarmNodesSilent: { severity: 'ticket', afterSeconds: 120 },
  FarmNodesPaused: { severity: 'ticket', afterSeconds: 300 },
  FarmNodesQuarantined: { severity: 'ticket', afterSeconds: 600 },
  FarmTaskWordsLate: { severity: 'page', afterSeconds: 120 },
  FarmWebhooksStuck: { severity: 'page', afterSeconds: 120 },
  FarmBudget: { severity: 'ticket', afterSeconds: 0 },
} as const satisfies Readonly<Record<string, { severity: Severity; afterSeconds: number }>>

export type AlertName = keyof typeof alerts

/** Limits of the same alerts. */
const queueOldSeconds = 600
const unfairBelow = 0.8
const wordsLateSeconds = 30
const webhooksStuckSeconds = 120

const nodeWords = {
  silent: ['FarmNodesSilent', 'fell silent without leaving', 'fell silent without leaving'],
  paused: ['FarmNodesPaused', 'report that they take no tasks', 'reports that it takes no tasks'],
  quarantined: [
    'FarmNodesQuarantined',
    'fail tasks that other nodes complete',
    'fails tasks that other nodes complete',
  ],
} as const

/** Judges the figures of one moment; nothing found: the farm is healthy. */
export function findFaults(figures: AlertFigures): readonly Finding[] {
  const { queues, leases, nodes, outbox, deliveries, shares } = figures
  const found: Finding[] = []
  const add = (alert: AlertName, words: string, where = '') => found.push({ alert, where, words })
  const queued = queues.reduce((sum, { tasks }) => sum + tasks, 0)
  if (queued > 0 && leases.every(({ running }) => running === 0)) {
    add(
      'FarmQueueStuck',
      `${counted(queued, 'task')} ${queued === 1 ? 'waits' : 'wait'} and nothing runs`,
    )
  }
  for (const { pool, kind, unmatched, oldestSeconds } of queues) {
    const where = `${kind}, pool ${pool ?? 'any'}`
    if (unmatched > 0) {
      add('FarmTasksUnmatched', `No node can take ${counted(unmatched, 'task')} (${where})`, where)
    }
    if (oldestSeconds > queueOldSeconds) {
      add('FarmQueueOld', `A task (${where}) waits since ${duration(oldestSeconds)}`, where)
    }
  }
  const fairness = jainIndex(shares)
  if (shares.length > 1 && fairness < unfairBelow) {
    const index = fairness.toFixed(2)
    add('FarmSharesUnfair', `Waiting accounts get unequal shares, Jain index ${index}`)
  }
  for (const { state, pool, nodes: count } of nodes) {
    const told = state in nodeWords ? nodeWords[state as keyof typeof nodeWords] : undefined
    const where = `pool ${pool || '(none)'}`
    if (!told) continue
    const [alert, several, one] = told
    add(alert, `${counted(count, 'node')} of ${where} ${count === 1 ? one : several}`, where)
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
