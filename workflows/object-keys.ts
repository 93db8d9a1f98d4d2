import { checkKey } from '../store/objects/keys.ts'
import type { RenderJobInput } from './contract.ts'

/** The job's plan, for its nodes. */
export function planKey({ accountId, jobId }: RenderJobInput): string {
  return checkKey(`accounts/${accountId}/jobs/${jobId}/plan.json`)
}

/** Documents to bake, named by what is in them: a repeated step overwrites nothing with another. */
export function documentsKey({ accountId, jobId }: RenderJobInput, digest: string): string {
  return checkKey(`accounts/${accountId}/jobs/${jobId}/documents-${digest}.json`)
}
