import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type ErrorCode, errorCodes } from '../core/errors.ts'
import { type TaskKind, taskKinds } from '../core/queue/tasks.ts'
import { createMetrics, PoolLabels } from '../runtime/metrics.ts'

/** Metrics that a scheduler counts itself; those of the whole farm are in fleet/fleet-metrics.ts. */
export type SchedulerMetrics = {
  readonly registry: Registry
  readonly pools: PoolLabels
  leased(kind: TaskKind, pool: string): void
  /** Counts a speculative attempt at a straggler. */
  leasedSpeculatively(kind: TaskKind): void
  completed(kind: TaskKind): void
  failed(kind: TaskKind, failure: { readonly reason: ErrorCode; readonly retried: boolean }): void
  quarantined(): void
  canaryAnswered(passed: boolean): void
  called(call: { readonly method: string; readonly code: string; readonly seconds: number }): void
}

const kinds = Object.keys(taskKinds) as TaskKind[]
const codes = Object.keys(errorCodes) as ErrorCode[]

/** `waitingPolls`: number of nodes that wait at this scheduler for work, read at each scrape. */
export function createSchedulerMetrics({
  waitingPolls,
}: {
  waitingPolls: () => number
}): SchedulerMetrics {
  const registry = createMetrics('scheduler')
  const registers = [registry]
  const pools = new PoolLabels()
  const leases = new Counter({
    name: 'farm_leases_granted_total',
    help: 'Tasks leased to nodes, by the pool of the node',
    labelNames: ['pool', 'kind'],
    registers,
  })
  const speculativeLeases = new Counter({
    name: 'farm_twin_leases_granted_total',
    help: 'Speculative leases of slow tasks, which farm_leases_granted_total includes',
    labelNames: ['kind'],
    registers,
  })
  const completed = new Counter({
    name: 'farm_attempts_completed_total',
    help: 'Attempts that completed their task',
    labelNames: ['kind'],
    registers,
  })
  const failed = new Counter({
    name: 'farm_attempts_failed_total',
    help: 'Attempts that failed or were lost (reason node_lost), by whether the task was retried',
    labelNames: ['kind', 'reason', 'next'],
    registers,
  })
  const quarantines = new Counter({
    name: 'farm_quarantines_total',
    help: 'Nodes put into quarantine',
    registers,
  })
  const canaries = new Counter({
    name: 'farm_canaries_total',
    help: 'Canaries answered by quarantined nodes',
    labelNames: ['result'],
    registers,
  })
  const calls = new Histogram({
    name: 'farm_rpc_seconds',
    help: 'Seconds of calls by nodes, by method and gRPC status; Lease waits up to 20 s for tasks',
    labelNames: ['method', 'code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
    registers,
  })
  new Gauge({
    name: 'farm_polls_waiting',
    help: 'Nodes that wait for tasks at this scheduler',
    registers,
    collect() {
      this.set(waitingPolls())
    },
  })
  // Events that have not happened yet count 0, so that the first one is seen as an increase.
  for (const kind of kinds) {
    speculativeLeases.inc({ kind }, 0)
    completed.inc({ kind }, 0)
    for (const reason of codes) failed.inc({ kind, reason, next: 'retried' }, 0)
  }
  for (const result of ['passed', 'failed']) canaries.inc({ result }, 0)
  return {
    registry,
    pools,
    leased: (kind, pool) => leases.inc({ kind, pool: pools.of(pool || noPool) }),
    leasedSpeculatively: (kind) => speculativeLeases.inc({ kind }),
    completed: (kind) => completed.inc({ kind }),
    failed: (kind, { reason, retried }) =>
      failed.inc({ kind, reason, next: retried ? 'retried' : 'ended' }),
    quarantined: () => quarantines.inc(),
    canaryAnswered: (passed) => canaries.inc({ result: passed ? 'passed' : 'failed' }),
    called: ({ method, code, seconds }) => calls.observe({ method, code }, seconds),
  }
}

/** Label of nodes without a pool: Prometheus treats an empty label as absent. */
export const noPool = 'default'
