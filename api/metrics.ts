import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { createMetrics } from '../runtime/metrics.ts'

/** An answer to a request; `route` is the path as it is declared, with its parameters unnamed. */
export type Answered = {
  readonly method: string
  readonly route: string
  /** `aborted`: the caller hung up before the answer was complete. */
  readonly status: number | 'aborted'
  readonly seconds: number
}

/** Every metric of the role. */
export type ApiMetrics = {
  readonly registry: Registry
  answered(answer: Answered): void
  /** Sets the number of open streams of job events. */
  listening(streams: number): void
  jobsCancelled(jobs: number): void
  /** Counts records of requests that are not in the log that operators search. */
  accessLost(records: number): void
}

export function createApiMetrics(): ApiMetrics {
  const registry = createMetrics('api')
  const registers = [registry]
  const seconds = new Histogram({
    name: 'farm_http_request_seconds',
    help: 'Seconds from the head of a request to the end of its response; status aborted: the caller hung up',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const cancelled = new Counter({
    name: 'farm_jobs_cancelled_total',
    help: 'Jobs cancelled by their customers',
    registers,
  })
  const listeners = new Gauge({
    name: 'farm_job_listeners',
    help: 'Open job event streams',
    registers,
  })
  const lost = new Counter({
    name: 'farm_access_records_lost_total',
    help: 'Requests missing in the log that operators search; the lines of the api’s log have them',
    registers,
  })
  return {
    registry,
    answered: ({ method, route, status, seconds: taken }) =>
      seconds.observe({ method, route, status: String(status) }, taken),
    listening: (streams) => listeners.set(streams),
    jobsCancelled: (jobs) => cancelled.inc(jobs),
    accessLost: (records) => lost.inc(records),
  }
}
