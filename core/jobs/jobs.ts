import type { ErrorCode, Fault } from '../errors.ts'

/**
 * States of a job. `queued`: accepted and paid for, untouched by a workflow. `resolving`: its media
 * and bakes are being prepared. `rendering`: frames are painted. `assembling`: the film is put
 * together. The other three are final.
 */
export const jobStates = [
  'queued',
  'resolving',
  'rendering',
  'assembling',
  'completed',
  'failed',
  'cancelled',
] as const
export type JobState = (typeof jobStates)[number]
export type FinalJobState = 'completed' | 'failed' | 'cancelled'

/** Stages of a render, in order; finer than the states that a customer sees. */
export const jobStages = [
  'resolve',
  'ingest',
  'bake',
  'plan',
  'render',
  'assemble',
  'settle',
] as const
export type JobStage = (typeof jobStages)[number]

/** Allowed transitions. A stage with nothing to do may be skipped, but none is entered twice. */
const moves: Readonly<Record<JobState, readonly JobState[]>> = {
  queued: ['resolving', 'failed', 'cancelled'],
  resolving: ['rendering', 'assembling', 'failed', 'cancelled'],
  rendering: ['assembling', 'completed', 'failed', 'cancelled'],
  assembling: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** The state that a job shows in each stage; settling keeps the state before it. */
const stateOfStage: Readonly<Record<JobStage, JobState | undefined>> = {
  resolve: 'resolving',
  ingest: 'resolving',
  bake: 'resolving',
  plan: 'resolving',
  render: 'rendering',
  assemble: 'assembling',
  settle: undefined,
}

export function mayMove(from: JobState, to: JobState): boolean {
  return moves[from].includes(to)
}

/** Returns the states from which `to` can be reached in one move. */
export function sourcesOf(to: JobState): readonly JobState[] {
  return jobStates.filter((from) => mayMove(from, to))
}

export function jobStateOf(stage: JobStage): JobState | undefined {
  return stateOfStage[stage]
}

export function isFinal(state: JobState): state is FinalJobState {
  return moves[state].length === 0
}

/** The error of a job, as the customer reads it. */
export type JobError = {
  readonly code: ErrorCode
  readonly message: string
  readonly details: readonly Fault[]
}

/** `duration` in seconds (0 for a still), `size` in bytes. URLs are made when they are read. */
export type JobResult = {
  readonly duration: number
  readonly size: number
  readonly width: number
  readonly height: number
  /** Format of the file, for its media type. */
  readonly format?: 'mp4' | 'mov' | 'webm' | 'avi' | 'png' | 'jpg' | 'webp'
  /** Set for a preview. */
  readonly sheet?: JobSheet
}

/** Frames on a preview: size of each, its top left corner and its time, s. */
export type JobSheet = {
  readonly frame: { readonly width: number; readonly height: number }
  readonly frames: readonly { readonly time: number; readonly x: number; readonly y: number }[]
  readonly quality: number
}

/** Description of a preview, in its job's row. `fingerprint`: equal previews look the same. */
export type JobPreview = {
  readonly fingerprint: string
  readonly times?: readonly number[]
  readonly width?: number
  readonly maxBytes: number
  /** Media are revalidated, however fresh. */
  readonly refresh?: boolean
  /** Seals its warnings and error at its end, and is then removed; hex. */
  readonly wordsKey?: string
  /** Its warnings and error, once it has ended. */
  readonly words?: string
}

/**
 * Frames of a job. `total`: in the film, 0 until it is planned. `reused`: in segments that need no
 * rendering: stored, rendered by another job, or already in this film. `painted`: pictures to paint
 * for the rest, where a run of equal frames counts once. `done`: frames of the rest encoded by now.
 */
export type JobFrames = {
  readonly total: number
  readonly reused: number
  readonly painted: number
  readonly done: number
}

/**
 * Progress as a whole number, 0..100. Frames are nearly all of the work, so they own 5..95; a job
 * shows 100 only when its file can be fetched.
 */
export function jobProgress({ state, frames }: { state: JobState; frames: JobFrames }): number {
  switch (state) {
    case 'queued':
      return 0
    case 'resolving':
      return 2
    case 'rendering':
    case 'assembling':
      return Math.floor(5 + 90 * shareDone(frames))
    case 'failed':
    case 'cancelled':
      return frames.total === 0 ? 0 : Math.floor(5 + 90 * shareDone(frames))
    case 'completed':
      return 100
    default:
      return state satisfies never
  }
}

/** Frame rate over all of the painting so far, and the time left at that rate. */
export type JobPace = { readonly framesPerSecond: number; readonly etaSeconds: number }

/** Returns null before the first frames have come, and after the last. */
export function jobPace(
  { state, frames }: { state: JobState; frames: JobFrames },
  paintingSeconds: number,
): JobPace | null {
  if (state !== 'rendering' || frames.done === 0 || paintingSeconds <= 0) return null
  const rate = frames.done / paintingSeconds
  const left = Math.max(0, frames.total - frames.reused - frames.done)
  return { framesPerSecond: Math.round(rate * 10) / 10, etaSeconds: Math.ceil(left / rate) }
}

/** Jobs of a bulk that are in the same state, with the sum of their frames. */
export type BulkPart = {
  readonly state: JobState
  readonly jobs: number
  readonly frames: JobFrames
}

/** Mean progress of a bulk's jobs, whole, 0..100; an ended job counts as 100. */
export function bulkProgress(parts: readonly BulkPart[]): number {
  const jobs = parts.reduce((sum, part) => sum + part.jobs, 0)
  const done = parts.reduce(
    (sum, part) => sum + part.jobs * (isFinal(part.state) ? 100 : jobProgress(part)),
    0,
  )
  return jobs === 0 ? 100 : Math.floor(done / jobs)
}

/** Fault of a job id that the caller chose and that is taken. */
export function takenJobId(jobId: string): Fault {
  const message = `jobId must be new. Got ${jobId}, which another job has`
  return { field: 'jobId', code: 'conflict', message }
}

/**
 * Credits that a cancelled job still costs: its share of the frames painted for it, rounded down.
 * Frames from the store are free.
 */
export function cancelCharge({
  creditsReserved,
  frames,
}: {
  creditsReserved: number
  frames: JobFrames
}): number {
  if (frames.total === 0) return 0
  return Math.floor(creditsReserved * Math.min(1, frames.done / frames.total))
}

function shareDone(frames: JobFrames): number {
  return frames.total === 0 ? 0 : Math.min(1, (frames.reused + frames.done) / frames.total)
}
