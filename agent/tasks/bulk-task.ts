import type { BulkPage, FarmClient } from '../../client/farm-client.ts'
import { bulkResult } from '../bulk-view.ts'
import { callResult } from '../tool-result.ts'
import { counted } from '../wording.ts'
import { pollIntervalMs } from './render-task.ts'
import type { DetailedTask } from './task.ts'

/** Returns a bulk as a task; its id is the bulk's. */
export async function taskOfBulk(
  farm: FarmClient,
  id: string,
  signal: AbortSignal,
): Promise<DetailedTask> {
  const bulk = await farm.getBulk(id, { signal, pageSize: 1 })
  const { bulkId: taskId, ts, counts } = bulk
  // The progress of a running bulk is as of now; the farm notes no time for it.
  const lastUpdatedAt = ts.finished ?? new Date().toISOString()
  const task = { taskId, createdAt: ts.created, lastUpdatedAt, ttlMs: null, pollIntervalMs }
  const statusMessage = countsText(bulk)
  if (bulk.state === 'running') return { ...task, status: 'working', statusMessage }
  const isCancelled = counts.cancelled > 0 && counts.completed + counts.failed === 0
  if (isCancelled) return { ...task, status: 'cancelled', statusMessage }
  const result = callResult(await bulkResult(farm, bulk, signal), {})
  return { ...task, status: 'completed', statusMessage, result }
}

function countsText({ progress, counts }: BulkPage): string {
  const { completed, failed, cancelled, queued, resolving, rendering, assembling } = counts
  const renders = completed + failed + cancelled + queued + resolving + rendering + assembling
  return `${Math.floor(progress)} % done: ${completed} of ${counted(renders, 'render')} completed, ${failed} failed, ${cancelled} cancelled.`
}
