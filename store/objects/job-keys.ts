import { checkKey, checkPrefix } from './keys.ts'

type JobOfAccount = { readonly accountId: string; readonly jobId: string }

/** Prefix of everything that the job's stages write themselves. */
export function jobPrefix({ accountId, jobId }: JobOfAccount): string {
  return checkPrefix(`accounts/${accountId}/jobs/${jobId}/`)
}

/** The job's plan, for its nodes. */
export function planKey(job: JobOfAccount): string {
  return checkKey(`${jobPrefix(job)}plan.json`)
}

/**
 * Draft of the job's plan, for the node that makes the whole job; written when it is too long for a
 * lease.
 */
export function draftKey(job: JobOfAccount): string {
  return checkKey(`${jobPrefix(job)}draft.json`)
}

/** Files of a job that were copied from an earlier job. */
export function copiedFileKeys(job: JobOfAccount) {
  return {
    outputKey: checkKey(`${jobPrefix(job)}output`),
    thumbnailKey: checkKey(`${jobPrefix(job)}thumbnail`),
  }
}

/** Media that earlier jobs fetched for this job. */
export function cachedMediaKey(job: JobOfAccount): string {
  return checkKey(`${jobPrefix(job)}media.json`)
}

/** Documents to bake, named by their content: a repeated step never overwrites others. */
export function documentsKey(job: JobOfAccount, digest: string): string {
  return checkKey(`${jobPrefix(job)}documents-${digest}.json`)
}
