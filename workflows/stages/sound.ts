import { soundText } from '../../core/plan/fingerprint.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { finishedTasks, outputKey } from './outcomes.ts'
import { isSoundAhead } from './shards.ts'

/** Key of the film's sound as an earlier job of the account encoded it, if one did. */
export async function findSound(
  { queries }: ActivityContext,
  { job, plan }: { job: RenderJobInput; plan: Plan },
): Promise<string | undefined> {
  if (!isSoundAhead(plan)) return undefined
  const digests = [sha256(soundText(plan))]
  const [sound] = (await queries.getArtifacts({ ...job, kind: 'sound', digests })).values()
  return sound?.objectKey
}

/** Key of the film's sound that a render task of this job has encoded, if one has. */
export function encodedSound(tasks: readonly JobTask[]): string | undefined {
  const encoded = finishedTasks(tasks, 'render').find(({ spec }) => spec.sound)
  return encoded && outputKey(encoded, 'sound')
}

/** Records the sound that this job encoded, for other films that sound the same. */
export async function recordSound(
  { queries }: ActivityContext,
  { job, plan, tasks }: { job: RenderJobInput; plan: Plan; tasks: readonly JobTask[] },
): Promise<void> {
  for (const task of finishedTasks(tasks, 'render')) {
    const { sound: objectKey } = task.outputs
    const bytes = task.result.soundBytes
    if (!task.spec.sound || objectKey === undefined || bytes === undefined) continue
    const artifact = { digest: sha256(soundText(plan)), objectKey, bytes, facts: {} }
    await queries.putArtifact({ accountId: job.accountId, kind: 'sound', ...artifact })
  }
}
