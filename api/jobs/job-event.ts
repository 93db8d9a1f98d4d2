import { type Static, Type } from 'typebox'
import { isFinal } from '../../core/jobs/jobs.ts'
import type { JobView } from '../../store/db/jobs/get-job.ts'
import { Job, type JobLinks, showJob } from './job-view.ts'

const { properties } = Job

/** A job as the account's stream tells of it: what a list shows. */
export const JobEvent = Type.Object(
  {
    id: properties.id,
    name: properties.name,
    state: properties.state,
    stage: properties.stage,
    progress: properties.progress,
    framesPerSecond: properties.framesPerSecond,
    etaSeconds: properties.etaSeconds,
    type: properties.type,
    thumbnailUrl: properties.thumbnailUrl,
    previewUrl: properties.previewUrl,
    bulkId: properties.bulkId,
    createdAt: Type.String({ format: 'date-time' }),
    failedReason: properties.failedReason,
    credits: Type.Integer({ description: 'Credits held; of an ended job, credits charged' }),
  },
  { $id: 'JobEvent' },
)

export async function showJobEvent(
  links: JobLinks,
  job: JobView,
): Promise<Static<typeof JobEvent>> {
  const shown = await showJob(links, job)
  const { id, name, state, stage, progress, framesPerSecond, etaSeconds, type } = shown
  const { thumbnailUrl, previewUrl, bulkId, failedReason } = shown
  return {
    ...{ id, name, state, stage, progress, framesPerSecond, etaSeconds, type },
    ...{ thumbnailUrl, previewUrl, bulkId, createdAt: shown.ts.created, failedReason },
    credits: isFinal(state) ? shown.creditsCharged : shown.creditsReserved,
  }
}

/** Equal versions of a job are told once. Addresses are signed anew each time, and do not count. */
export function versionOf({ state, stage, frames, previewKey, filesRemovedAt }: JobView): string {
  const { total, reused, painted, done } = frames
  return [state, stage, total, reused, painted, done, previewKey, filesRemovedAt !== null].join(' ')
}
