import { FarmError } from '../../core/errors.ts'
import type { JobPreview, JobResult } from '../../core/jobs/jobs.ts'
import { framePixels } from '../../core/plan/fingerprint.ts'
import { planOfFrames } from '../../core/plan/make-plan.ts'
import { clearestMoments, frameSize, type Moment, momentsAt } from '../../core/plan/sheet.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { previewLimits } from '../../core/project/schema/preview.ts'
import type { Facts } from '../../core/timeline/facts.ts'
import type { Timeline } from '../../core/timeline/types.ts'
import type { NodeOffer } from '../../store/db/fleet-schema.ts'
import type { OutputLinks } from '../../store/db/jobs/settle-jobs.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { inputsOf, type JobInputs } from './job-inputs.ts'
import type { Next } from './next.ts'
import { badAnswer, checkAnswers, finishedTasks, outputKey } from './outcomes.ts'
import { canvasOf, chooseCanvas, chooseEncoder, costOf } from './shards.ts'
import { startTasks, type TaskRequest } from './start-tasks.ts'

/**
 * Queues the one task of a preview: its frames as the film's canvas paints them, small, on a sheet.
 *
 * Errors: FarmError `invalid_value` for a time beyond the film's end.
 */
export async function startSheet(
  context: ActivityContext,
  {
    job,
    project,
    preview,
    facts,
    keys,
    offers,
  }: {
    job: RenderJobInput
    project: ResolvedProject
    preview: JobPreview
    facts: Facts
    keys: JobInputs['keys']
    offers: readonly NodeOffer[]
  },
): Promise<Next> {
  const encoder = chooseEncoder(offers, project.outputFormat)
  const painting = offers.filter(({ kinds }) => kinds.includes('sheet'))
  const kind = project.type === 'image' ? 'still' : 'render'
  const canvas = chooseCanvas(painting, { kind, encoder })
  const plan = planOfFrames({ project, facts, encoder, canvas })
  const { timeline } = plan
  const moments = momentsOf(timeline, { project, preview })
  const { usualSide, side, share } = previewLimits
  const digests = new Set(moments.flatMap(({ frame }) => framePixels(timeline, frame)))
  await context.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const request: TaskRequest<'sheet'> = {
    name: 'sheet',
    kind: 'sheet',
    spec: {
      moments: [...moments],
      hasTimes: project.type !== 'image',
      frame: frameSize(timeline, { width: preview.width, usualSide, side, share }),
      maxBytes: preview.maxBytes,
    },
    inputs: [{ name: 'plan', key: planKey(job) }, ...inputsOf(digests, keys)],
    outputs: ['sheet'],
    requirements: canvasOf(plan),
    cost: costOf(timeline, moments.length),
    frames: moments.length,
  }
  const started = await startTasks(context, job, [request])
  return { wait: 'tasks', ...started, resume: 'settle' }
}

function momentsOf(
  timeline: Timeline,
  { project, preview: { times } }: { project: ResolvedProject; preview: JobPreview },
): readonly Moment[] {
  if (project.type === 'image') return [{ seconds: 0, frame: 0 }]
  if (times === undefined) return clearestMoments(timeline, previewLimits.usualFrames)
  const found = momentsAt(timeline, times)
  if (!('beyond' in found)) return found
  const length = timeline.frames / timeline.frameRate
  const field = `times[${found.beyond}]`
  const rule = `${field} must be within the film, which is ${shown(length)} s long.`
  throw new FarmError('invalid_value', `${rule} Got ${shown(times[found.beyond] ?? 0)}`, { field })
}

const shown = (seconds: number) => Math.round(seconds * 1000) / 1000

/** The result of a preview's job; undefined for any other job. It costs nothing. */
export async function finishedSheet(
  context: ActivityContext,
  { job, tasks }: { job: RenderJobInput; tasks: readonly JobTask[] },
): Promise<
  | {
      readonly result: JobResult
      readonly charge: number
      readonly outputKey: string
      readonly thumbnailKey: null
      readonly links: OutputLinks
    }
  | undefined
> {
  if (!tasks.some(({ kind }) => kind === 'sheet')) return undefined
  checkAnswers(tasks)
  const [task] = finishedTasks(tasks, 'sheet')
  if (task === undefined) throw badAnswer('the preview')
  const { spec, result } = task
  const { bytes, width, height, quality, frame, places } = result.sheet
  const key = outputKey(task, 'sheet')
  const facts = await context.objects.stat(key)
  if (facts?.bytes !== bytes || bytes > spec.maxBytes || places.length !== spec.moments.length) {
    throw badAnswer(`${task.name} of job ${job.jobId}`)
  }
  const frames = spec.moments.map(({ seconds: time }, i) => ({
    time,
    ...(places[i] ?? { x: 0, y: 0 }),
  }))
  return {
    result: {
      duration: 0,
      size: bytes,
      width,
      height,
      format: 'jpg',
      sheet: { frame, frames, quality },
    },
    charge: 0,
    outputKey: key,
    thumbnailKey: null,
    // A preview has no receivers.
    links: { url: '', thumbnailUrl: null },
  }
}
