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
import { signDownload, signOutputs } from '../../store/objects/output-links.ts'
import { Detail } from '../gateway/problem.ts'
import { type PlayLinks, signPlayLinks } from '../playback/play-links.ts'
import { whyNotPlayable } from '../playback/playable-film.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const Url = Nullable(Type.String({ format: 'uri' }))
const Time = Nullable(Type.String({ format: 'date-time' }))

/** Warning about a legal part of a project that is probably a mistake. */
export const WarningView = Type.Object({
  field: Type.String({ description: 'Path as in an error; empty for the whole project' }),
  pointer: Type.String({ description: 'JSON pointer (RFC 6901) into the body as sent' }),
  code: Type.String({
    description: Object.entries(warningCodes)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n'),
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
      total: Type.Integer({ description: 'Frames of the film; 0 until the film is planned' }),
      done: Type.Integer({
        description:
          'Finished frames; falls when a node is lost and another paints its frames again',
      }),
      painted: Type.Integer({ description: 'Frames to paint for this job' }),
      reused: Type.Integer({ description: 'Frames of segments that needed no rendering' }),
      repeated: Type.Integer({
        description: 'Frames equal to the frame before: encoded, not painted',
      }),
    }),
    framesPerSecond: Nullable(
      Type.Number({ description: 'Painting speed, while frames are painted' }),
    ),
    etaSeconds: Nullable(Type.Integer({ description: 'Seconds until the last frame is painted' })),
    stages: Type.Record(
      Type.String(),
      Type.Object({ begun: Type.String({ format: 'date-time' }), seconds: Type.Number() }),
    ),
    type: Type.Union([Type.Literal('video'), Type.Literal('image')]),
    name: Type.String(),
    templateId: Nullable(Type.String()),
    bulkId: Nullable(Type.String()),
    bulkIndex: Nullable(Type.Integer({ description: 'Index of its item in the bulk, from 0' })),
    url: Url,
    downloadUrl: Nullable(
      Type.String({
        format: 'uri',
        description: 'The same file, which browsers save under the name of the job',
      }),
    ),
    thumbnailUrl: Url,
    previewUrl: Nullable(
      Type.String({ format: 'uri', description: 'Picture of the segment finished last' }),
    ),
    playlistUrl: Nullable(
      Type.String({
        format: 'uri',
        description:
          'Playlist (HTTP Live Streaming) that plays the film while it renders and after; null until it is planned',
      }),
    ),
    watchUrl: Nullable(
      Type.String({ format: 'uri', description: 'Page that plays it, without an account' }),
    ),
    noPlaylistReason: Nullable(
      Type.String({
        description: 'Reason for having no playlist; null where there is or will be one',
      }),
    ),
    urlExpiresAt: Time,
    outputExpiresAt: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Time until which the output files are kept',
      }),
    ),
    outputExpiredAt: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Time at which the output files were removed',
      }),
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
      description: 'Credits held until the job ends; an ended job holds nothing',
    }),
    creditsCharged: Type.Integer(),
    queuePosition: Nullable(
      Type.Integer({
        description: `Position in the queue: 1 is next; counted up to ${maxQueuePosition}`,
      }),
    ),
    /** Set for a single job: the reason for having nothing running, null when it has something. */
    waiting: Type.Optional(
      Nullable(
        Type.Object({
          reason: Type.Enum([...waitingReasons]),
          message: Type.String(),
          ahead: Type.Integer(),
          share: Nullable(
            Type.Number({ description: 'Share of the farm, 0 to 1; null when nothing is queued' }),
          ),
          missing: Type.Array(Type.String()),
          jobs: Type.Array(Type.String(), {
            description: 'Jobs of the account that render segments this job also needs',
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

/** Signers of a job's addresses. */
export type JobLinks = { readonly objects: LinkSigner; readonly playLinks: PlayLinks }

/** A job as its customer reads it, its files' addresses freshly signed. */
export async function showJob({ objects, playLinks }: JobLinks, job: JobView) {
  const now = new Date()
  const files = { ...job, format: job.result?.format }
  const { url, thumbnailUrl, previewUrl, seconds } = await signOutputs(objects, files)
  const downloadUrl = await signDownload(objects, { ...files, seconds })
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
    downloadUrl,
    thumbnailUrl,
    previewUrl,
    ...showPlayback(job, { playLinks, now }),
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

function showPlayback(
  job: JobView,
  { playLinks, now }: { playLinks: PlayLinks; now: Date },
): { playlistUrl: string | null; watchUrl: string | null; noPlaylistReason: string | null } {
  const none = { playlistUrl: null, watchUrl: null }
  const noPlaylistReason = reasonForNoPlaylist(job)
  if (noPlaylistReason !== null) return { ...none, noPlaylistReason }
  if (job.filmFormat === null) return { ...none, noPlaylistReason }
  const { id: jobId, filesExpireAt } = job
  return { ...signPlayLinks(playLinks, { jobId, filesExpireAt, now }), noPlaylistReason }
}

/** Null: there is a playlist, or there may be one when the film is planned. */
function reasonForNoPlaylist({ type, state, filmFormat, filesRemovedAt }: JobView): string | null {
  if (type === 'image') return 'A still has nothing to play.'
  if (state === 'failed' || state === 'cancelled') return `The job is ${state}.`
  if (filesRemovedAt) return 'The files were removed.'
  return (filmFormat === null ? undefined : whyNotPlayable(filmFormat)) ?? null
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
