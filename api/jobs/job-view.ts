import { Type } from 'typebox'
import { errorCodes, pointerInJob } from '../../core/errors.ts'
import {
  type JobError,
  type JobResult,
  jobPace,
  jobProgress,
  jobStages,
  jobStates,
} from '../../core/jobs/jobs.ts'
import { type Warning, warningCodes } from '../../core/project/lint/warning.ts'
import { waitingReasons } from '../../core/queue/waiting.ts'
import type { JobView } from '../../store/db/jobs/get-job.ts'
import { maxQueuePosition } from '../../store/db/jobs/insert-jobs-with-hold.ts'
import type { LinkSigner } from '../../store/objects/object-store.ts'
import { signOutputs } from '../../store/objects/output-links.ts'
import { Detail } from '../gateway/problem.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const Url = Nullable(Type.String({ format: 'uri' }))
const Time = Nullable(Type.String({ format: 'date-time' }))

/** Warning about a legal part of a project that is probably a mistake. */
export const WarningView = Type.Object({
  field: Type.String({ description: 'As in an error; empty: the whole project' }),
  pointer: Type.String({ description: 'RFC 6901, into the body as it was sent' }),
  code: Type.String({
    description: Object.entries(warningCodes)
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('; '),
  }),
  message: Type.String(),
})

/** Adds pointers of a job, whose request may have named a template. */
export function showWarnings(warnings: readonly Warning[], templateId: string | null) {
  return warnings.map((warning) => ({ ...warning, pointer: pointerInJob(warning, templateId) }))
}

export const Job = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    state: Type.Enum([...jobStates]),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    stage: Nullable(Type.Enum([...jobStages])),
    frames: Type.Object({
      total: Type.Integer({ description: 'In the film; 0 until it is planned' }),
      done: Type.Integer({
        description: 'Falls when a node is lost: another one paints its frames anew',
      }),
      painted: Type.Integer({ description: 'Pictures to paint for this job' }),
      reused: Type.Integer({ description: 'In segments that needed no rendering' }),
      repeated: Type.Integer({ description: 'Equal to the frame before: encoded, not painted' }),
    }),
    framesPerSecond: Nullable(Type.Number({ description: 'While frames are painted' })),
    etaSeconds: Nullable(Type.Integer({ description: 'Until the last frame is painted' })),
    stages: Type.Record(
      Type.String(),
      Type.Object({ begun: Type.String({ format: 'date-time' }), seconds: Type.Number() }),
    ),
    type: Type.Union([Type.Literal('video'), Type.Literal('image')]),
    name: Type.String(),
    templateId: Nullable(Type.String()),
    bulkId: Nullable(Type.String()),
    bulkIndex: Nullable(Type.Integer({ description: 'Its item in the bulk, from 0' })),
    url: Url,
    thumbnailUrl: Url,
    previewUrl: Nullable(
      Type.String({ format: 'uri', description: 'A picture of the segment finished last' }),
    ),
    urlExpiresAt: Time,
    outputExpiresAt: Nullable(
      Type.String({ format: 'date-time', description: 'Its files are kept until then' }),
    ),
    outputExpiredAt: Nullable(
      Type.String({ format: 'date-time', description: 'Its files have been removed' }),
    ),
    result: Nullable(
      Type.Object({
        url: Url,
        thumbnailUrl: Url,
        duration: Type.Number(),
        size: Type.Integer(),
        width: Type.Integer(),
        height: Type.Integer(),
      }),
    ),
    failedReason: Nullable(Type.String()),
    error: Nullable(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        details: Type.Array(Detail),
      }),
    ),
    warnings: Type.Array(WarningView),
    creditsReserved: Type.Integer({
      description: 'Held until the job ended; a job that has ended holds nothing',
    }),
    creditsCharged: Type.Integer(),
    queuePosition: Nullable(
      Type.Integer({ description: `1 = next; counted up to ${maxQueuePosition}` }),
    ),
    /** Set for a single job: the reason for having nothing running, null when it has something. */
    waiting: Type.Optional(
      Nullable(
        Type.Object({
          reason: Type.Enum([...waitingReasons]),
          message: Type.String(),
          ahead: Type.Integer(),
          share: Nullable(
            Type.Number({ description: 'Of the farm, 0..1; null: it has nothing in the queue' }),
          ),
          missing: Type.Array(Type.String()),
          jobs: Type.Array(Type.String(), {
            description: 'Jobs of the account that render segments which it needs too',
          }),
          startsIn: Nullable(Type.Number()),
        }),
      ),
    ),
    ts: Type.Object({
      created: Type.String({ format: 'date-time' }),
      started: Time,
      updated: Type.String({ format: 'date-time' }),
      finished: Time,
    }),
  },
  { $id: 'Job' },
)

/** A job as its customer reads it, its files' addresses freshly signed. */
export async function showJob({ objects }: { readonly objects: LinkSigner }, job: JobView) {
  const now = new Date()
  const { url, thumbnailUrl, previewUrl, seconds } = await signOutputs(objects, {
    ...job,
    format: job.result?.format,
  })
  const pace = jobPace(job, secondsSince(job.stages.render, now))
  return {
    id: job.id,
    state: job.state,
    progress: jobProgress(job),
    stage: job.stage,
    frames: {
      total: job.frames.total,
      done: Math.min(job.frames.total, job.frames.reused + job.frames.done),
      painted: job.frames.painted,
      reused: job.frames.reused,
      repeated: Math.max(0, job.frames.total - job.frames.reused - job.frames.painted),
    },
    framesPerSecond: pace?.framesPerSecond ?? null,
    etaSeconds: pace?.etaSeconds ?? null,
    stages: stageTimes(job, now),
    type: job.type,
    name: job.name,
    templateId: job.templateId,
    bulkId: job.bulkId,
    bulkIndex: job.bulkIndex,
    url,
    thumbnailUrl,
    previewUrl,
    urlExpiresAt: url && new Date(now.getTime() + seconds * 1000).toISOString(),
    outputExpiresAt: (job.result && job.filesExpireAt?.toISOString()) ?? null,
    outputExpiredAt: (job.result && job.filesRemovedAt?.toISOString()) ?? null,
    result: job.result && { url, thumbnailUrl, ...resultOf(job.result) },
    failedReason: job.error && reasonOf(job.error),
    error: job.error && {
      code: job.error.code,
      message: job.error.message,
      details: job.error.details.map((fault) => ({
        ...fault,
        pointer: pointerInJob(fault, job.templateId),
      })),
    },
    warnings: showWarnings(job.warnings, job.templateId),
    creditsReserved: job.creditsReserved,
    creditsCharged: job.creditsCharged,
    queuePosition: job.queuePosition,
    ts: {
      created: job.createdAt.toISOString(),
      started: job.startedAt?.toISOString() ?? null,
      updated: job.updatedAt.toISOString(),
      finished: job.finishedAt?.toISOString() ?? null,
    },
  }
}

function resultOf({ duration, size, width, height }: JobResult) {
  return { duration, size, width, height }
}

/** Builds one sentence or two. For the farm's own failures it adds that nothing was charged. */
function reasonOf({ code, message }: JobError): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return errorCodes[code].blame === 'farm' ? `${sentence} Nothing was charged.` : sentence
}

function secondsSince(begun: string | undefined, now: Date): number {
  return begun === undefined ? 0 : (now.getTime() - new Date(begun).getTime()) / 1000
}

/** Seconds from a stage's beginning to the next one's, to the job's end, or to now. */
function stageTimes({ stages, finishedAt }: JobView, now: Date) {
  const begun = jobStages.flatMap((stage) => {
    const at = stages[stage]
    return at === undefined ? [] : [{ stage, at: new Date(at) }]
  })
  const end = finishedAt ?? now
  return Object.fromEntries(
    begun.map(({ stage, at }, i) => {
      const until = begun[i + 1]?.at ?? end
      const seconds = Math.max(0, until.getTime() - at.getTime()) / 1000
      return [stage, { begun: at.toISOString(), seconds }]
    }),
  )
}
