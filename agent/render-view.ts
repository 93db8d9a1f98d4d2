import type { Job } from '../client/farm-client.ts'
import { quoted } from './strangers-text.ts'
import { type Answer, facts, text } from './tool.ts'
import { faultLines } from './wording.ts'

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

/**
 * Returns what the rendering of a quote came to. A failed render is an error, and so it is text
 * alone: some hosts show the facts of an error in place of it.
 */
export function renderResult(job: Job): Answer {
  const shown = showRender(job)
  if (job.state !== 'failed') return facts(shown)
  return { ...text(JSON.stringify(shown)), isError: true }
}

const sizeOf = ({ width, height }: { width: number; height: number }) => `${width}x${height}`
