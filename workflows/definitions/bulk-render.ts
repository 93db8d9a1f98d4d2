import {
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import { type BulkRenderInput, bulkJobEndedSignal } from '../contract.ts'
import type { FarmActivities } from '../stages/activities.ts'

/** Short and repeatable: jobs in flight are read from Postgres, not remembered here. */
const { startNextOfBulk } = proxyLocalActivities<Pick<FarmActivities, 'startNextOfBulk'>>({
  startToCloseTimeout: '1 minute',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
})

/**
 * Polls as well, because jobs that end without their workflow (cancelled before it began, settled
 * from outside) send no signal.
 */
const lookAgain = '15 seconds'

/** A turn takes some ten events, so histories stay under 2,000. */
const turnsInOneHistory = 100

const bulkJobEnded = defineSignal(bulkJobEndedSignal)

/**
 * Keeps as many jobs of a bulk in flight as the plan allows, until all have ended. No state passes
 * between turns, so it may continue as new after any of them, or be restarted when Temporal lost
 * it.
 */
export async function bulkRender(bulk: BulkRenderInput): Promise<void> {
  let hasNews = false
  setHandler(bulkJobEnded, () => {
    hasNews = true
  })
  for (let turn = 0; turn < turnsInOneHistory; turn++) {
    // Reset before the look, so that a job that ends meanwhile is not missed.
    hasNews = false
    const { open } = await startNextOfBulk(bulk)
    if (open === 0) return
    await condition(() => hasNews, lookAgain)
  }
  await continueAsNew<typeof bulkRender>(bulk)
}
