import type { Job, JobChange } from '../../../client/farm-client.ts'
import { count, duration } from '../words/format.ts'

/** A job as a list or the stream of changes tells it; a listed one that changed has the fields of both. */
export type KnownJob = Job | JobChange | (Job & JobChange)

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])
export const hasEnded = ({ state }: { readonly state: string }) => ended.has(state)

/** Facts of a job, in the words of every list. An empty text: there is nothing to tell. */
export type JobSummary = ReturnType<typeof summaryOf>

export function summaryOf(job: KnownJob) {
  const isOpen = !hasEnded(job)
  const kind = job.type === 'image' ? 'still' : 'film'
  const length = filmLength(job)
  const left = isOpen && job.etaSeconds !== null ? duration(job.etaSeconds) : ''
  const pace = isOpen && job.framesPerSecond !== null ? `${job.framesPerSecond.toFixed(0)} /s` : ''
  return {
    ...{ id: job.id, name: job.name || 'Untitled', state: job.state, progress: job.progress },
    ...{ isOpen, length, left, pace },
    about: job.failedReason ?? [kind, length, left && `${left} left`].filter(Boolean).join(', '),
    created: 'createdAt' in job ? job.createdAt : job.ts.created,
    picture: job.thumbnailUrl ?? job.previewUrl,
    stage: isOpen ? (job.stage ?? '') : '',
    cost: count(creditsOf(job)),
  }
}

function filmLength(job: KnownJob): string {
  const result = 'result' in job ? job.result : null
  return result && job.type === 'video' ? duration(result.duration) : ''
}

/** Held while it is open, charged once it has ended. */
function creditsOf(job: KnownJob): number {
  if ('credits' in job) return job.credits
  return hasEnded(job) ? job.creditsCharged : job.creditsReserved
}
