import { type BufferedMetricUpdate, MetricsBuffer } from '@temporalio/worker'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * Temporal's SDK has metrics of its own, and could serve them on another port. We read them from
 * its buffer instead, so that they share the role's address, with names of ours and only the useful
 * ones. Labels are names of our own queues, workflows and activities.
 */
const latencies = {
  workflow_task_schedule_to_start_latency: {
    name: 'farm_temporal_workflow_task_wait_seconds',
    help: 'Seconds that a workflow task waited for a worker',
    labelNames: ['task_queue'],
  },
  workflow_task_execution_latency: {
    name: 'farm_temporal_workflow_task_seconds',
    help: 'Seconds of a workflow task',
    labelNames: ['task_queue'],
  },
  activity_schedule_to_start_latency: {
    name: 'farm_temporal_activity_wait_seconds',
    help: 'Seconds that an activity waited for a worker',
    labelNames: ['task_queue'],
  },
  activity_execution_latency: {
    name: 'farm_temporal_activity_seconds',
    help: 'Seconds of an activity (attempt: a webhook)',
    labelNames: ['activity_type'],
  },
  local_activity_execution_latency: {
    name: 'farm_temporal_stage_seconds',
    help: 'Seconds of a job stage, which is a local activity',
    labelNames: ['activity_type'],
  },
} as const

const counts = {
  request_failure: {
    name: 'farm_temporal_request_failures_total',
    help: 'Failed calls to Temporal, without long polls',
    labelNames: ['operation'],
  },
  workflow_task_execution_failed: {
    name: 'farm_temporal_workflow_task_failures_total',
    help: 'Failed workflow tasks: a defect, or code that does not replay',
    labelNames: ['task_queue'],
  },
} as const

const levels = {
  worker_task_slots_available: {
    name: 'farm_temporal_slots_free',
    help: 'Free slots of this process for tasks of a kind',
    labelNames: ['task_queue', 'worker_type'],
  },
} as const

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Buffers seconds of updates at ten thousand a second. */
const bufferedMax = 100_000
const drainMs = 1_000

/**
 * Creates the buffer for Temporal's runtime, and a function that stops carrying it into the
 * registry. The buffer is drained once a second.
 */
export function collectTemporal(registry: Registry): {
  readonly buffer: MetricsBuffer
  stop(): void
} {
  const buffer = new MetricsBuffer({ maxBufferSize: bufferedMax, useSecondsForDurations: true })
  const take = takers(registry)
  const drain = () => {
    for (const update of buffer.retrieveUpdates()) {
      const name = update.metric.name.replace(/^temporal_/, '')
      take.get(name)?.(update)
    }
  }
  const timer = setInterval(drain, drainMs)
  timer.unref()
  return { buffer, stop: () => clearInterval(timer) }
}

type Take = (update: BufferedMetricUpdate) => void

function takers(registry: Registry): ReadonlyMap<string, Take> {
  const registers = [registry]
  const all = new Map<string, Take>()
  for (const [name, facts] of Object.entries(latencies)) {
    const histogram = new Histogram({ ...facts, buckets, registers })
    all.set(name, (update) => histogram.observe(labelsOf(update, facts), update.value))
  }
  for (const [name, facts] of Object.entries(counts)) {
    const counter = new Counter({ ...facts, registers })
    all.set(name, (update) => counter.inc(labelsOf(update, facts), update.value))
  }
  for (const [name, facts] of Object.entries(levels)) {
    const gauge = new Gauge({ ...facts, registers })
    all.set(name, (update) => gauge.set(labelsOf(update, facts), update.value))
  }
  return all
}

function labelsOf(
  { attributes }: BufferedMetricUpdate,
  { labelNames }: { readonly labelNames: readonly string[] },
): Record<string, string> {
  return Object.fromEntries(labelNames.map((name) => [name, String(attributes[name] ?? 'none')]))
}
