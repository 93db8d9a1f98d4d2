import type { Job } from '../../client/farm-client.ts'
import { hasEnded, renderResult } from '../render-view.ts'
import { callResult } from '../tool-result.ts'
import type { DetailedTask } from './task.ts'

/** Time between two looks of a client: a film takes seconds to minutes. */
export const pollIntervalMs = 5_000

/** Returns a render as a task; its id is the job's. A job is never forgotten. */
export function taskOfJob(job: Job): DetailedTask {
  const { id: taskId, state, ts, creditsCharged } = job
  const times = { createdAt: ts.created, lastUpdatedAt: ts.updated }
  const task = { taskId, ...times, ttlMs: null, pollIntervalMs }
  if (state === 'cancelled') {
    const statusMessage = `The render was cancelled. Credits charged: ${creditsCharged}.`
    return { ...task, status: 'cancelled', statusMessage }
  }
  if (!hasEnded(job)) return { ...task, status: 'working', statusMessage: progressText(job) }
  return { ...task, status: 'completed', result: callResult(renderResult(job), {}) }
}

const doing = {
  queued: 'The render is waiting to begin',
  resolving: 'The media are being prepared',
  rendering: 'Frames are being painted',
  assembling: 'The film is being put together',
} as const

function progressText({ state, progress, etaSeconds, waiting }: Job): string {
  const now = doing[state as keyof typeof doing]
  const left = etaSeconds === null ? '' : `, about ${Math.ceil(etaSeconds)} s left`
  const why = waiting ? ` ${waiting.message}` : ''
  return `${now}: ${Math.floor(progress)} % done${left}.${why}`
}
