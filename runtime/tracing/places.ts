import type { JobStage } from '../../core/jobs/jobs.ts'
import { sha256 } from '../sha256.ts'

/**
 * Position of a span in its trace. Every id of a job's trace is derived from the ids of the span's
 * subject. So each role computes its position and its parent's: nothing is passed between roles. A
 * repeated step emits the same span again (decision 0033).
 */
export type SpanPlace = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Absent: the root of its trace. */
  readonly parentId?: string
}

/**
 * Trace id of a job or a bulk. It is a hash, because customers may choose a job's id, and must not
 * choose the trace that it is shown in.
 */
export function traceIdOf(id: string): string {
  return sha256(`trace ${id}`).slice(0, 32)
}

/** Place of the request that made the job or the bulk. */
export function requestPlace(id: string): SpanPlace {
  return { traceId: traceIdOf(id), spanId: spanIdOf('request', id) }
}

/** Place of a whole job. A job made by its bulk's request is the root of a trace of its own. */
export function jobPlace({ jobId, bulkId }: { jobId: string; bulkId: string | null }): SpanPlace {
  const place = { traceId: traceIdOf(jobId), spanId: spanIdOf('job', jobId) }
  return bulkId === null ? { ...place, parentId: requestPlace(jobId).spanId } : place
}

/** Place of a whole bulk; its jobs have traces of their own and link here. */
export function bulkPlace(bulkId: string): SpanPlace {
  const { traceId, spanId: parentId } = requestPlace(bulkId)
  return { traceId, spanId: spanIdOf('bulk', bulkId), parentId }
}

export function stagePlace({ jobId, stage }: { jobId: string; stage: JobStage }): SpanPlace {
  return {
    traceId: traceIdOf(jobId),
    spanId: spanIdOf('stage', jobId, stage),
    parentId: spanIdOf('job', jobId),
  }
}

/** Place of an attempt to deliver a job's event, by its number from 1; after the job has ended. */
export function deliveryPlace({
  jobId,
  deliveryId,
  attempt,
}: {
  jobId: string
  deliveryId: string
  attempt: number
}): SpanPlace {
  return {
    traceId: traceIdOf(jobId),
    spanId: spanIdOf('delivery', deliveryId, String(attempt)),
    parentId: spanIdOf('job', jobId),
  }
}

type AttemptAtTask = {
  readonly jobId: string
  readonly stage: JobStage
  readonly taskId: string
  readonly attempt: number
}

/** Place of a task's time in the queue, before the attempt. */
export function waitPlace(attempt: AttemptAtTask): SpanPlace {
  return placeOfAttempt('wait', attempt)
}

/** Place of the attempt on its node. */
export function attemptPlace(attempt: AttemptAtTask): SpanPlace {
  return placeOfAttempt('attempt', attempt)
}

function placeOfAttempt(
  what: 'wait' | 'attempt',
  { jobId, stage, taskId, attempt }: AttemptAtTask,
): SpanPlace {
  return {
    traceId: traceIdOf(jobId),
    spanId: spanIdOf(what, taskId, String(attempt)),
    parentId: stagePlace({ jobId, stage }).spanId,
  }
}

function spanIdOf(...about: readonly string[]): string {
  return sha256(about.join(' ')).slice(0, 16)
}
