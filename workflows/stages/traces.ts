import { type JobStage, jobStages } from '../../core/jobs/jobs.ts'
import { stageOfKind, type TaskKind } from '../../core/queue/tasks.ts'
import { bulkPlace, jobPlace, stagePlace } from '../../runtime/tracing/places.ts'
import { readBulkTimes } from '../../store/db/bulks/read-bulk-times.ts'
import { type JobTimes, readJobTimes } from '../../store/db/jobs/read-job-times.ts'
import type { BulkRenderInput, RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'

type Traced = Pick<ActivityContext, 'db' | 'log' | 'tracing'>

/**
 * Traces an ended job and its stages by the times in the database, so that a role killed on the way
 * loses none. Never rejects.
 */
export async function traceJob({ db, log, tracing }: Traced, job: RenderJobInput): Promise<void> {
  const { jobId } = job
  if (!tracing.keeps(jobId)) return
  try {
    const times = await readJobTimes(db, job)
    if (times === undefined) return
    const { bulkId, state, createdAt: start, finishedAt: end } = times
    tracing.record({
      name: 'job',
      place: jobPlace({ jobId, bulkId }),
      links: bulkId === null ? [] : [bulkPlace(bulkId)],
      ...{ start, end },
      failure: state === 'failed' ? (times.errorCode ?? 'internal') : undefined,
      attributes: attributesOf(jobId, times),
    })
    for (const { stage, tasks, ...span } of stagesOf(times)) {
      const attributes = { 'farm.job.id': jobId, 'farm.tasks': tasks }
      tracing.record({
        name: `stage ${stage}`,
        place: stagePlace({ jobId, stage }),
        ...span,
        attributes,
      })
    }
  } catch (error) {
    log.warn({ err: error, jobId }, 'the spans of a job could not be read')
  }
}

/** Traces a bulk whose jobs have all ended. Never rejects. */
export async function traceBulk(
  { db, log, tracing }: Traced,
  bulk: BulkRenderInput,
): Promise<void> {
  const { accountId, bulkId } = bulk
  if (!tracing.keeps(bulkId)) return
  try {
    const times = await readBulkTimes(db, bulk)
    if (times === undefined) return
    const { jobs, completed, createdAt: start, finishedAt: end } = times
    const attributes = {
      'farm.bulk.id': bulkId,
      'farm.account.id': accountId,
      'farm.jobs': jobs,
      'farm.jobs.completed': completed,
    }
    const place = bulkPlace(bulkId)
    tracing.record({ name: 'bulk', place, start, end, attributes })
  } catch (error) {
    log.warn({ err: error, bulkId }, 'the span of a bulk could not be read')
  }
}

function attributesOf(jobId: string, times: JobTimes) {
  return {
    'farm.job.id': jobId,
    'farm.job.type': times.type,
    'farm.job.state': times.state,
    'farm.account.id': times.accountId,
    'farm.bulk.id': times.bulkId ?? undefined,
    'farm.frames': times.framesTotal,
    'farm.frames.reused': times.framesReused,
    'farm.frames.painted': times.framesPainted,
  }
}

type StageSpan = {
  readonly stage: JobStage
  readonly start: number
  readonly end: number
  readonly tasks: number
}

/**
 * A stage ends with its last task: ingest and bake overlap. A stage without tasks ends where the
 * next begins.
 */
function stagesOf({ stages, tasks, finishedAt }: JobTimes): StageSpan[] {
  const last = finishedAt.getTime()
  const entered = jobStages.flatMap((stage) => {
    const at = stages[stage]
    return at === undefined ? [] : [{ stage, start: Date.parse(at) }]
  })
  return entered.map(({ stage, start }) => {
    const kinds = (Object.keys(tasks) as TaskKind[]).filter((kind) => stageOfKind[kind] === stage)
    const ends = kinds.map((kind) => Date.parse(tasks[kind]?.endedAt ?? ''))
    const later = entered.map((other) => other.start).filter((other) => other > start)
    const end = ends.length > 0 ? Math.max(...ends) : Math.min(...later, last)
    const count = kinds.reduce((sum, kind) => sum + (tasks[kind]?.count ?? 0), 0)
    return { stage, start, end: Math.min(Math.max(start, end), last), tasks: count }
  })
}
