import { getExternalWorkflowHandle, proxyLocalActivities } from '@temporalio/workflow'
import { bulkJobEndedSignal, bulkRenderId } from '../contract.ts'
import type { FarmActivities } from '../stages/activities.ts'
import type { RegisteredStages, Stages } from '../stages/stage-types.ts'

/**
 * The stages are local activities: short, run inside the workflow's task, repeatable. Each reads
 * what it needs from Postgres, queues tasks and returns their names. A signal reports the end of a
 * node's work, the long part. So a job costs Temporal one round trip for each wait, and a killed
 * role is replaced within one workflow task timeout. A stage with nothing to wait for runs the next
 * one and returns its answer too.
 */
const short = proxyLocalActivities<Omit<RegisteredStages, 'settle'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '30 minutes',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
})

/** A job that cannot be settled would keep its hold for ever: retried for days. */
const { settle } = proxyLocalActivities<Pick<Stages, 'settle'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '7 days',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
})

export const stages: Stages = {
  prepareInputs: short.gather,
  bakeCaptions: short.bakeCaptions,
  render: short.render,
  shareSegments: short.shareSegments,
  areAwaited: short.areAwaited,
  assemble: short.assemble,
  settle,
}

/** Runs several steps as one; the step batcher retries those that fail. */
export const { runSteps } = proxyLocalActivities<Pick<FarmActivities, 'runSteps'>>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 },
})

/**
 * Signals that nothing is left to do for the bulk. A missed signal is harmless: its workflow also
 * reads the jobs by itself.
 */
export async function notifyBulk(bulkId: string): Promise<void> {
  const bulk = getExternalWorkflowHandle(bulkRenderId(bulkId))
  await bulk.signal(bulkJobEndedSignal).catch(() => undefined)
}
