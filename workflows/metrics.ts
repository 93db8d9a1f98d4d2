import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ErrorCode } from '../core/errors.ts'
import { errorCodes } from '../core/errors.ts'
import { createMetrics } from '../runtime/metrics.ts'
import type { ArtifactKind } from '../store/db/schema.ts'

/** Result of a delivery attempt; `exhausted`: it was the last one. */
export type DeliveryResult = 'taken' | 'failed' | 'exhausted'

/** The end of a job, reported once. */
export type EndedJob =
  | { readonly state: 'completed' | 'cancelled'; readonly seconds: number }
  | { readonly state: 'failed'; readonly reason: ErrorCode; readonly seconds: number }

/** Every metric of the role but Temporal's own, which are in temporal-metrics.ts. */
export type WorkflowsMetrics = {
  readonly registry: Registry
  jobEnded(job: EndedJob): void
  framesPlanned(frames: { readonly reused: number; readonly total: number }): void
  /** Counts lookups of objects by their content, and how many the store had. */
  lookedUp(kind: ArtifactKind, found: { readonly hits: number; readonly misses: number }): void
  /** `lateSeconds`: time since it was due. */
  delivered(result: DeliveryResult, lateSeconds: number): void
  /** Ends a check of all balances. `unbalanced`: accounts whose balance is not the sum of their ledger. */
  ledgerChecked(unbalanced: number): void
}

const codes = Object.keys(errorCodes) as ErrorCode[]
const minute = 60

export function createWorkflowsMetrics(): WorkflowsMetrics {
  const registry = createMetrics('workflows')
  const registers = [registry]
  const ended = new Counter({
    name: 'farm_jobs_ended_total',
    help: 'Ended jobs, by state and error code; without farm_jobs_cancelled_total',
    labelNames: ['state', 'reason'],
    registers,
  })
  const seconds = new Histogram({
    name: 'farm_job_seconds',
    help: 'Seconds from the submission of a job to its end',
    labelNames: ['state'],
    buckets: [1, 2.5, 5, 10, 30, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, 3600],
    registers,
  })
  const planned = new Counter({
    name: 'farm_frames_planned_total',
    help: 'Frames of planned films',
    registers,
  })
  const reused = new Counter({
    name: 'farm_frames_reused_total',
    help: 'Frames of planned films whose segments are in the store or equal another segment',
    registers,
  })
  const lookups = new Counter({
    name: 'farm_artifact_lookups_total',
    help: 'Lookups of bakes and segments in the store by jobs, by kind and result',
    labelNames: ['kind', 'result'],
    registers,
  })
  const attempts = new Counter({
    name: 'farm_webhook_attempts_total',
    help: 'Delivery attempts; exhausted: the last attempt of its delivery failed',
    labelNames: ['result'],
    registers,
  })
  const delay = new Histogram({
    name: 'farm_webhook_delay_seconds',
    help: 'Seconds from the due time of a delivery attempt to its start',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, minute, 5 * minute, 30 * minute],
    registers,
  })
  for (const state of ['completed', 'cancelled']) ended.inc({ state, reason: state }, 0)
  for (const reason of codes) ended.inc({ state: 'failed', reason }, 0)
  for (const kind of ['bake', 'segment', 'sound', 'output']) {
    for (const result of ['hit', 'miss']) lookups.inc({ kind, result }, 0)
  }
  for (const result of ['taken', 'failed', 'exhausted']) attempts.inc({ result }, 0)
  return {
    registry,
    jobEnded(job) {
      const reason = job.state === 'failed' ? job.reason : job.state
      ended.inc({ state: job.state, reason })
      seconds.observe({ state: job.state }, job.seconds)
    },
    framesPlanned(frames) {
      planned.inc(frames.total)
      reused.inc(frames.reused)
    },
    lookedUp(kind, { hits, misses }) {
      lookups.inc({ kind, result: 'hit' }, hits)
      lookups.inc({ kind, result: 'miss' }, misses)
    },
    delivered(result, lateSeconds) {
      attempts.inc({ result })
      delay.observe(lateSeconds)
    },
    ledgerChecked: addLedgerMetrics(registry),
  }
}

/** Adds the metrics of the ledger's checks. @returns a function that takes the outcome of one */
function addLedgerMetrics(registry: Registry): WorkflowsMetrics['ledgerChecked'] {
  const registers = [registry]
  let unbalanced: number | undefined
  let checkedAt = performance.now()
  new Gauge({
    name: 'farm_ledger_unbalanced_accounts',
    help: 'Accounts whose balance is not the sum of their ledger; absent before the first check',
    registers,
    collect() {
      // Removed, because a gauge without labels begins with a 0.
      if (unbalanced === undefined) this.remove()
      else this.set(unbalanced)
    },
  })
  new Gauge({
    name: 'farm_ledger_check_age_seconds',
    help: 'Seconds since all balances were compared with their ledger, or since the process began',
    registers,
    collect() {
      this.set((performance.now() - checkedAt) / 1000)
    },
  })
  return (found) => {
    unbalanced = found
    checkedAt = performance.now()
  }
}
