import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isFinal, type JobError } from '../../core/jobs/jobs.ts'
import { creditsOf } from '../../core/jobs/pricing.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { knownErrorCode } from '../../core/queue/attempts.ts'
import type { OutputFacts } from '../../core/queue/tasks.ts'
import { cancelJob } from '../../store/db/jobs/cancel-job.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { signOutputs } from '../../store/objects/output-links.ts'
import type { RenderJobInput } from '../contract.ts'
import { copiedOutput, type OutputFile, recordOutput } from './cached-output.ts'
import type { ActivityContext, JobEnd } from './context.ts'
import type { Settled } from './next.ts'
import { badAnswer, checkAnswers, type Finished, finishedTasks, outputKey } from './outcomes.ts'
import { readPlan, recordRendered } from './segments.ts'
import { finishedSheet } from './sheet.ts'
import { planOfSinglePass } from './single-pass.ts'
import { traceJob } from './traces.ts'

/** Results of the previous step. */
export type ReadBySettling = {
  readonly tasks: readonly JobTask[]
  readonly plan: Plan
  readonly file: OutputFile
}

/**
 * Stage settle: the job's end, its credits and the end of its tasks in one transaction. Rendered
 * segments are recorded for other jobs, before the end when some may wait for them. A job that has
 * ended already stays as it is. The bulk's next jobs start here, so only its last job has to signal
 * the bulk's workflow.
 * @returns whether nothing is left to do for the job's bulk
 */
export async function settle(
  context: ActivityContext,
  { end, ...job }: RenderJobInput & { readonly end: JobEnd },
  read?: ReadBySettling,
): Promise<Settled> {
  const tasks = read?.tasks ?? (await context.queries.listTasks(job))
  const record = async () => {
    if (finishedTasks(tasks, 'render').length === 0) return
    await recordRendered(context, { job, plan: await readPlan(context, job), tasks })
  }
  if (end.to === 'completed') await record()
  await settleAs(context, { job, end, tasks, read })
  if (end.to !== 'completed') await record()
  await context.queries.endClaims(job)
  await traceJob(context, job)
  const { accountId, bulkId } = job
  if (bulkId === undefined) return { endsBulk: false }
  const { open } = await context.fillBulk({ accountId, bulkId })
  return { endsBulk: open === 0 }
}

type Ending = {
  readonly job: RenderJobInput
  readonly tasks: readonly JobTask[]
  readonly read: ReadBySettling | undefined
}

async function settleAs(
  context: ActivityContext,
  { job, end, tasks, read }: Ending & { end: JobEnd },
): Promise<void> {
  const { db, queries, metrics } = context
  switch (end.to) {
    case 'completed': {
      const state = await queries.enterStage({ ...job, stage: 'settle' })
      if (state === undefined || isFinal(state)) return
      const made =
        (await finishedSheet(context, { job, tasks })) ??
        (await finishedFile(context, { job, tasks, read }))
      const settlement = { to: end.to, ...made }
      const settled = await queries.settleJob({ ...job, reason: 'rendered', settlement })
      if (settled?.settled) metrics.jobEnded({ state: end.to, seconds: settled.ageSeconds })
      return
    }
    case 'cancelled': {
      const settled = await cancelJob(db, { ...job, reason: 'cancelled' })
      if (settled?.settled) metrics.jobEnded({ state: end.to, seconds: settled.ageSeconds })
      return
    }
    case 'failed': {
      const error = jobErrorOf(end)
      const settlement = { to: end.to, error }
      const settled = await queries.settleJob({ ...job, reason: error.code, settlement })
      if (settled?.settled) {
        metrics.jobEnded({ state: end.to, reason: error.code, seconds: settled.ageSeconds })
      }
      return
    }
    default:
      end satisfies never
  }
}

async function finishedFile(context: ActivityContext, { job, tasks, read }: Ending) {
  checkAnswers(tasks)
  const plan =
    read?.plan ??
    (await planOfSinglePass(context, { job, tasks })) ??
    (await readPlan(context, job))
  const made = renderedFile(tasks, plan)
  if (made) await recordOutput(context, { job, plan, file: made })
  const file = made ?? read?.file ?? (await copiedOutput(context, job))
  if (file === undefined) throw badAnswer('the film')
  const { bytes, ...files } = file
  const { timeline, output, segments } = plan
  const { width, height, frames, frameRate } = timeline
  const type = segments.length === 0 ? 'image' : 'video'
  const seconds = frames / frameRate
  const duration = type === 'image' ? 0 : seconds
  return {
    result: { duration, size: bytes, width, height, format: output.format },
    charge: creditsOf({ type, width, height }, seconds),
    ...files,
    links: await signOutputs(context.objects, {
      ...files,
      name: job.jobId,
      format: output.format,
    }),
  }
}

/** The file that a node of this job assembled, if one did. */
function renderedFile(tasks: readonly JobTask[], { timeline }: Plan): OutputFile | undefined {
  const made = finishingTask(tasks)
  if (made === undefined) return undefined
  const { task, facts } = made
  if (facts.frames !== timeline.frames || facts.bytes === 0) throw badAnswer(task.name)
  return {
    bytes: facts.bytes,
    outputKey: outputKey(task, 'output'),
    thumbnailKey: outputKey(task, 'thumbnail'),
  }
}

type Finishing = {
  readonly task: Finished<'assemble' | 'still' | 'make' | 'render'>
  readonly facts: OutputFacts
}

function finishingTask(tasks: readonly JobTask[]): Finishing | undefined {
  const [first] = [
    ...finishedTasks(tasks, 'assemble'),
    ...finishedTasks(tasks, 'still'),
    ...finishedTasks(tasks, 'make'),
  ]
  if (first) return { task: first, facts: first.result.output }
  const fused = finishedTasks(tasks, 'render').find(({ spec }) => spec.assemble)
  return fused?.result.output && { task: fused, facts: fused.result.output }
}

const Faults = Type.Array(
  Type.Object({
    field: Type.String(),
    pointer: Type.Optional(Type.String()),
    code: Type.String(),
    message: Type.String(),
  }),
)

/** The failure as shown to the customer; one without a text of ours gets a general message. */
function jobErrorOf(end: Extract<JobEnd, { to: 'failed' }>): JobError {
  const faults: Static<typeof Faults> = Value.Check(Faults, end.details) ? end.details : []
  return {
    code: knownErrorCode(end.code),
    message: end.message ?? 'The farm failed to render this job',
    details: faults.map((fault) => ({ ...fault, code: knownErrorCode(fault.code) })),
  }
}
