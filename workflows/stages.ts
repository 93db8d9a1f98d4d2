import { getExternalWorkflowHandle, proxyLocalActivities } from '@temporalio/workflow'
import type { FarmActivities, Stages } from './activities/activities.ts'
import { bulkJobEndedSignal, bulkRenderId } from './contract.ts'

/**
 * The stages are local activities: short, run inside the workflow's own task, repeatable. Each reads
 * what it needs from Postgres, puts tasks into the queue and answers their names; the long part, a
 * node's work, is waited for as a signal. So a job costs Temporal one round trip for each time it
 * waits, and a role killed at any moment is followed by another within one workflow task timeout. One
 * that leaves nothing to wait for goes on to the next by itself and answers that one's answer as well.
 */
const short = proxyLocalActivities<Omit<Stages, 'settle'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '30 minutes',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
})

/** A job that nothing could settle would keep its hold for ever: tried for days before giving up. */
const { settle } = proxyLocalActivities<Pick<Stages, 'settle'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '7 days',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
})

export const stages: Stages = {
  gather: short.gather,
  bakeCaptions: short.bakeCaptions,
  render: short.render,
  shareSegments: short.shareSegments,
  areAwaited: short.areAwaited,
  assemble: short.assemble,
  settle,
}

/** Several steps in one; those that it fails for are asked for again (rounds.ts). */
export const { runSteps } = proxyLocalActivities<Pick<FarmActivities, 'runSteps'>>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 },
})

/** Nothing of the bulk is left to do. One that is not there, or misses the word, looks by itself. */
export async function tellBulk(bulkId: string): Promise<void> {
  const bulk = getExternalWorkflowHandle(bulkRenderId(bulkId))
  await bulk.signal(bulkJobEndedSignal).catch(() => undefined)
}
