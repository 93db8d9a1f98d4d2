import { FarmError } from '../../core/errors.ts'
import { assembleDigests, thumbnailPixels } from '../../core/plan/inputs.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import { bakeMissing } from './bakes.ts'
import type { ActivityContext } from './context.ts'
import { collectInputs, inputsOf } from './job-inputs.ts'
import type { Next } from './next.ts'
import { checkAnswers, finishedTasks, outputKey } from './outcomes.ts'
import { resolveJob } from './resolve-job.ts'
import { readPlan, recordRendered } from './segments.ts'
import { canvasOf, soundEncoderOf } from './shards.ts'
import { encodedSound, findSound } from './sound.ts'
import { startTasks } from './start-tasks.ts'

const assembleCost = 20

/**
 * Stage assemble: every segment of the plan is in the store now, from this job or an earlier one.
 */
export async function assemble(context: ActivityContext, job: RenderJobInput): Promise<Next> {
  const { queries } = context
  const [plan, tasks] = await Promise.all([readPlan(context, job), queries.listTasks(job)])
  checkAnswers(tasks)
  await recordRendered(context, { job, plan, tasks })
  const fingerprints = [...new Set(plan.segments.map(({ fingerprint }) => fingerprint))]
  const stored = await queries.getArtifacts({ ...job, kind: 'segment', digests: fingerprints })
  const segments = plan.segments.map(({ index, fingerprint }) => {
    const key = stored.get(fingerprint)?.objectKey
    if (key === undefined) throw new FarmError('internal', 'A rendered segment is missing')
    return { name: `segment-${index}`, key }
  })
  const { project } = await resolveJob(context, job)
  const { engine } = plan
  const inputs = await collectInputs(context, { job, project, tasks, engine })
  const encoded = encodedSound(tasks) ?? (await findSound(context, { job, plan }))
  const sound = encoded === undefined ? undefined : [{ name: 'sound', key: encoded }]
  const taken = takenThumbnail(tasks)
  const thumbnail = taken === undefined ? [] : [{ name: 'thumbnail', key: taken }]
  const digests = assembleDigests(sound ? { ...plan, audio: [] } : plan)
  if (inputs.missing.length > 0 && !digests.every((digest) => inputs.keys.has(digest))) {
    return await bakeMissing(context, { job, inputs, tasks, engine, resume: 'assemble' })
  }
  const sources = inputsOf(digests, inputs.keys)
  const { tasks: started } = await startTasks(context, job, [
    {
      name: 'assemble',
      kind: 'assemble',
      spec: { ...(sound && { sound: true }), ...(taken !== undefined && { thumbnail: true }) },
      inputs: [
        { name: 'plan', key: planKey(job) },
        ...[...segments, ...(sound ?? []), ...thumbnail, ...sources],
      ],
      outputs: ['output', 'thumbnail'],
      requirements: {
        engine,
        ...(sound ? {} : soundEncoderOf(plan)),
        ...(thumbnailPixels(plan) && canvasOf(plan)),
      },
      cost: assembleCost,
    },
  ])
  return { wait: 'tasks', tasks: started, resume: 'settle' }
}

/** Key of the thumbnail that a render task of this job took out of its segment, if one did. */
function takenThumbnail(tasks: readonly JobTask[]): string | undefined {
  const taken = finishedTasks(tasks, 'render').find(({ result }) => result.thumbnail)
  return taken && outputKey(taken, 'thumbnail')
}
