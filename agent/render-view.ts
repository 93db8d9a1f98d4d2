import type { Job } from '../client/farm-client.ts'
import { object } from './tool.ts'
import { faultLines, quoted } from './wording.ts'

/** Facts of a render, as `get_render` and `render` answer them. */
export const renderShape = object({
  id: { type: 'string' },
  state: { type: 'string' },
  progress: { type: 'number' },
  'url?': { type: 'string' },
  'failure?': { type: 'string' },
})

/** States in which a render has ended. */
const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return ended.has(state)
}

/** Returns a render's facts. `url` is signed and ends after a day. */
export function showRender(job: Job): Record<string, unknown> {
  const { id, state, progress, name, url, etaSeconds, error, result, creditsReserved } = job
  const { creditsCharged } = job
  return {
    ...{ id, state, progress, name: quoted(name) },
    ...(url !== null && { url, thumbnailUrl: job.thumbnailUrl, urlExpiresAt: job.urlExpiresAt }),
    ...(result && { seconds: result.duration, bytes: result.size, size: sizeOf(result) }),
    ...(error && { failure: quoted(error.message), faults: faultLines(error.details) }),
    ...(hasEnded(job) ? { creditsCharged } : { creditsReserved, etaSeconds }),
    ...(job.waiting && { waiting: job.waiting }),
  }
}

const sizeOf = ({ width, height }: { width: number; height: number }) => `${width}x${height}`
