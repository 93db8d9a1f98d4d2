import { outputText } from '../../core/plan/fingerprint.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { copiedFileKeys } from '../../store/objects/job-keys.ts'
import { maxCopyBytes, ObjectMissingError } from '../../store/objects/object-store.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'

/** A finished file in the store. */
export type OutputFile = {
  readonly bytes: number
  readonly outputKey: string
  readonly thumbnailKey: string
}

/**
 * Copies the file and the thumbnail of an earlier job of the account with the same plan, if there
 * is one. Copies, because each job's files are removed with it.
 */
export async function copyCachedOutput(
  context: ActivityContext,
  { job, plan }: { job: RenderJobInput; plan: Plan },
): Promise<OutputFile | undefined> {
  const cached = await findOutput(context, { job, plan })
  context.metrics.lookedUp('output', { hits: cached ? 1 : 0, misses: cached ? 0 : 1 })
  if (cached === undefined) return undefined
  const { objects } = context
  const keys = copiedFileKeys(job)
  try {
    await objects.copy(cached.thumbnailKey, keys.thumbnailKey)
    // Copied last: when it exists, the job has both files.
    await objects.copy(cached.outputKey, keys.outputKey)
    return { ...keys, bytes: cached.bytes }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  }
}

async function findOutput(
  { queries }: ActivityContext,
  { job, plan }: { job: RenderJobInput; plan: Plan },
): Promise<OutputFile | undefined> {
  const digests = [sha256(outputText(plan))]
  const [output] = (await queries.getArtifacts({ ...job, kind: 'output', digests })).values()
  if (output === undefined) return undefined
  const [thumbnail] = (await queries.getArtifacts({ ...job, kind: 'thumbnail', digests })).values()
  const { bytes, objectKey: outputKey } = output
  return thumbnail && { bytes, outputKey, thumbnailKey: thumbnail.objectKey }
}

/** Finds the files that `copyCachedOutput` copied for the job, if it did. */
export async function copiedOutput(
  { objects }: ActivityContext,
  job: RenderJobInput,
): Promise<OutputFile | undefined> {
  const keys = copiedFileKeys(job)
  const facts = await objects.stat(keys.outputKey)
  return facts && { ...keys, bytes: facts.bytes }
}

/** Records the files that nodes made for this job, for later jobs with the same plan. */
export async function recordOutput(
  { queries, objects }: ActivityContext,
  { job, plan, file }: { job: RenderJobInput; plan: Plan; file: OutputFile },
): Promise<void> {
  const thumbnail = await objects.stat(file.thumbnailKey)
  if (thumbnail === undefined || file.bytes > maxCopyBytes) return
  const { accountId } = job
  const artifact = { accountId, digest: sha256(outputText(plan)), facts: {} }
  const { bytes, outputKey, thumbnailKey } = file
  await Promise.all([
    queries.putArtifact({ ...artifact, kind: 'output', objectKey: outputKey, bytes }),
    queries.putArtifact({
      ...artifact,
      ...{ kind: 'thumbnail', objectKey: thumbnailKey, bytes: thumbnail.bytes },
    }),
  ])
}
