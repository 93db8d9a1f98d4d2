import {
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import type { FarmActivities } from './activities/activities.ts'
import { type BulkRenderInput, bulkJobEndedSignal } from './contract.ts'

/** Short and repeatable: what is in flight is read from Postgres, not remembered here. */
const { startNextOfBulk } = proxyLocalActivities<Pick<FarmActivities, 'startNextOfBulk'>>({
  startToCloseTimeout: '1 minute',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
})

/** Jobs that end without their workflow (cancelled before it began, settled from outside) say nothing. */
const lookAgain = '15 seconds'

/** A turn takes some ten events, so histories stay under 2,000. */
const turnsInOneHistory = 100

const bulkJobEnded = defineSignal(bulkJobEndedSignal)

/**
 * Keeps so many jobs of a bulk in flight as the plan allows, until all have ended. It carries
 * nothing from one turn to the next, so it may end and begin anew after any of them: as a history
 * that has grown long, or because Temporal lost it.
 */
export async function bulkRender(bulk: BulkRenderInput): Promise<void> {
  let hasNews = false
  setHandler(bulkJobEnded, () => {
    hasNews = true
  })
  for (let turn = 0; turn < turnsInOneHistory; turn++) {
    // Before looking, so that a job that ends while we look is not overlooked.
    hasNews = false
    const { open } = await startNextOfBulk(bulk)
    if (open === 0) return
    await condition(() => hasNews, lookAgain)
  }
  await continueAsNew<typeof bulkRender>(bulk)
}
