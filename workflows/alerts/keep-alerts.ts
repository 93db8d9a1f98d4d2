import { findSpentBudgets } from '../../core/alerts/budget-findings.ts'
import { type Finding, findFaults } from '../../core/alerts/findings.ts'
import { figuresToKeep } from '../../core/charts/kept-figures.ts'
import { nodeLiveMs } from '../../core/fleet/node-states.ts'
import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { keepAlerts } from '../../store/db/alerts/keep-alerts.ts'
import { keepBudgets, listBudgets } from '../../store/db/budgets/budgets.ts'
import type { Db } from '../../store/db/database.ts'
import { keepFigureSample } from '../../store/db/fleet/figure-samples.ts'
import { readFleetFigures } from '../../store/db/fleet/read-fleet-figures.ts'
import { type NoticeSending, sendNotices } from './send-notices.ts'

const everyMs = 10_000

/**
 * Judges the farm, and sends the operators' receivers what has begun and ended, every ten seconds. Any
 * number may run.
 * @returns a function that stops it after the current turn.
 */
export function startAlerts(sending: NoticeSending & { readonly log: Log }): () => Promise<void> {
  const { stop } = repeat({
    everyMs,
    run: async () => await alertOnce(sending),
    onError: (error) => sending.log.warn({ err: error }, 'alerts could not be kept'),
  })
  return stop
}

/**
 * Runs one turn. Notices that are due go out although the farm cannot be judged, which is the error of
 * the turn then. @returns whether there may be more to send at once
 */
export async function alertOnce(sending: NoticeSending): Promise<boolean> {
  let isMore = false
  try {
    await keepAlerts(sending.db, findNow)
  } finally {
    isMore = await sendNotices(sending)
  }
  return isMore
}

async function findNow(db: Db): Promise<readonly Finding[]> {
  const budgets = await listBudgets(db)
  await keepBudgets(db, budgets)
  const figures = await readFleetFigures(db, { seenWithinMs: nodeLiveMs })
  await keepFigureSample(db, figuresToKeep(figures))
  return [...findFaults(figures), ...findSpentBudgets(budgets)]
}
