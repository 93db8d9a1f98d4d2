import type { RenderedQuote } from '../../client/farm-client.ts'
import { bulkResult } from '../bulk-view.ts'
import { hasEnded, renderResult } from '../render-view.ts'
import type { Agent, ToolResult } from '../tool.ts'
import { watchRender } from '../watch-render.ts'
import { taskOfBulk } from './bulk-task.ts'
import { taskOfJob } from './render-task.ts'

/** Longest wait for a render before its call becomes a task: a still is done by then. */
const waitSecondsMost = 3

/** Returns the result of what a quote made, or a task when it takes longer than a moment. */
export async function taskUnlessEnded(
  { jobId, bulkId }: Pick<RenderedQuote, 'jobId' | 'bulkId'>,
  { seconds, agent }: { seconds: number; agent: Agent },
): Promise<ToolResult> {
  const { farm, signal } = agent
  if (jobId !== undefined) {
    const job = await watchRender(jobId, { seconds: Math.min(seconds, waitSecondsMost), agent })
    return hasEnded(job) ? renderResult(job) : { task: taskOfJob(job) }
  }
  if (bulkId === undefined) throw new TypeError('a rendered quote must have a job or a bulk')
  const bulk = await farm.getBulk(bulkId, { signal, pageSize: 1 })
  if (bulk.state === 'finished') return await bulkResult(farm, bulk, signal)
  return { task: await taskOfBulk(farm, bulkId, signal) }
}
