import { checkKey, checkPrefix } from '../store/objects/keys.ts'
import type { RenderJobInput } from './contract.ts'

/** Everything that the job's stages write themselves. */
export function jobPrefix({ accountId, jobId }: RenderJobInput): string {
  return checkPrefix(`accounts/${accountId}/jobs/${jobId}/`)
}

/** The job's plan, for its nodes. */
export function planKey(job: RenderJobInput): string {
  return checkKey(`${jobPrefix(job)}plan.json`)
}

/** What the job's plan is made of, for the node that makes all of it, where that is long. */
export function draftKey(job: RenderJobInput): string {
  return checkKey(`${jobPrefix(job)}draft.json`)
}

/** Where a job has its files when they were taken from an earlier job. */
export function keptFileKeys(job: RenderJobInput) {
  return {
    outputKey: checkKey(`${jobPrefix(job)}output`),
    thumbnailKey: checkKey(`${jobPrefix(job)}thumbnail`),
  }
}

/** What earlier jobs fetched of the job's media. */
export function keptMediaKey(job: RenderJobInput): string {
  return checkKey(`${jobPrefix(job)}media.json`)
}

/** Documents to bake, named by what is in them: a repeated step overwrites nothing with another. */
export function documentsKey(job: RenderJobInput, digest: string): string {
  return checkKey(`${jobPrefix(job)}documents-${digest}.json`)
}
