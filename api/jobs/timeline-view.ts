import { type Static, Type } from 'typebox'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import { isFinal, jobStages } from '../../core/jobs/jobs.ts'
import {
  type RenderingTask,
  type SegmentState,
  segmentStates,
  statesOfSegments,
} from '../../core/jobs/segment-states.ts'
import { type AttemptState, taskStates } from '../../core/queue/task-states.ts'
import { type TaskKind, taskKinds } from '../../core/queue/tasks.ts'
import type { JobView } from '../../store/db/jobs/get-job.ts'
import type {
  JobTimeline,
  TimelineAttempt,
  TimelineTask,
} from '../../store/db/jobs/read-timeline.ts'
import { titleOf } from '../gateway/problem.ts'
import type { Cut } from './film-plans.ts'

const Time = Type.String({ format: 'date-time' })
const MaybeTime = Type.Union([Time, Type.Null()])
const Indexes = Type.Array(Type.Integer(), { description: 'Indexes of segments' })
const attemptStates = [
  ...['running', 'completed', 'failed', 'lost', 'returned', 'cancelled', 'superseded'],
] as AttemptState[]

export const Timeline = Type.Object(
  {
    job: Type.Object({ createdAt: Time, startedAt: MaybeTime, endedAt: MaybeTime }),
    stages: Type.Array(
      Type.Object({ name: Type.Enum([...jobStages]), begun: Time, ended: MaybeTime }),
    ),
    tasks: Type.Array(
      Type.Object({
        id: Type.String({ format: 'uuid' }),
        kind: Type.Enum(Object.keys(taskKinds) as TaskKind[]),
        segments: Indexes,
        state: Type.Enum([...taskStates]),
        queuedAt: Time,
      }),
    ),
    attempts: Type.Array(
      Type.Object({
        taskId: Type.String({ format: 'uuid' }),
        number: Type.Integer({ minimum: 1 }),
        machine: Type.String({
          description: 'Name of the machine within this job: `machine 1`, …',
        }),
        leasedAt: Time,
        startedAt: Type.String({
          format: 'date-time',
          description: 'Same as leasedAt: machines begin at once',
        }),
        endedAt: MaybeTime,
        state: Type.Enum(attemptStates),
        reason: Type.Union([Type.String(), Type.Null()], {
          description: 'Reason for its end without a result; null for others',
        }),
        frames: Type.Integer({ description: 'Frames painted so far' }),
        segments: Indexes,
      }),
    ),
    segments: Type.Array(
      Type.Object({
        index: Type.Integer(),
        firstFrame: Type.Integer(),
        frames: Type.Integer(),
        state: Type.Enum([...segmentStates], {
          description:
            '`reused`: it was in the store. `repeated`: it equals another segment, which is rendered for both',
        }),
      }),
      { description: 'Empty for a still, until the film is planned, and once its plan is removed' },
    ),
  },
  { $id: 'Timeline' },
)

export function showTimeline(
  job: JobView,
  { tasks, attempts, awaited }: JobTimeline,
  cuts: readonly Cut[],
): Static<typeof Timeline> {
  const machines = aliasesOf(attempts)
  const segmentsOf = new Map(tasks.map(({ id, segments }) => [id, [...(segments ?? [])]]))
  const states = statesOfSegments({
    fingerprints: cuts.map(({ fingerprint }) => fingerprint),
    tasks: renderingTasks(tasks, attempts),
    awaited: new Set(awaited),
    isOpen: !isFinal(job.state),
  })
  return {
    job: {
      createdAt: job.createdAt.toISOString(),
      startedAt: job.startedAt?.toISOString() ?? null,
      endedAt: job.finishedAt?.toISOString() ?? null,
    },
    stages: stagesOf(job),
    tasks: tasks.map(({ segments, queuedAt, ...task }) => ({
      ...{ ...task, segments: [...(segments ?? [])], queuedAt: queuedAt.toISOString() },
    })),
    attempts: attempts.map(
      ({ taskId, number, nodeId, leasedAt, endedAt, state, error, frames }) => ({
        ...{ taskId, number, machine: machines.get(nodeId) ?? '' },
        leasedAt: leasedAt.toISOString(),
        startedAt: leasedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
        ...{
          state,
          reason: reasonOf(state, error),
          frames,
          segments: segmentsOf.get(taskId) ?? [],
        },
      }),
    ),
    segments: cuts.map(({ start: firstFrame, frames }, index) => ({
      ...{ index, firstFrame, frames, state: states[index] as SegmentState },
    })),
  }
}

/** Names machines by their first lease in the job; a node's own name is the operators'. */
function aliasesOf(attempts: readonly TimelineAttempt[]): ReadonlyMap<string, string> {
  const nodes = [...new Set(attempts.map(({ nodeId }) => nodeId))]
  return new Map(nodes.map((nodeId, i) => [nodeId, `machine ${i + 1}`]))
}

function stagesOf({ stages, finishedAt }: JobView) {
  const begun = jobStages.flatMap((name) => {
    const at = stages[name]
    return at === undefined ? [] : [{ name, begun: new Date(at).toISOString() }]
  })
  return begun.map((stage, i) => ({
    ...stage,
    ended: begun[i + 1]?.begun ?? finishedAt?.toISOString() ?? null,
  }))
}

function renderingTasks(
  tasks: readonly TimelineTask[],
  attempts: readonly TimelineAttempt[],
): RenderingTask[] {
  const attemptsOf = Map.groupBy(attempts, ({ taskId }) => taskId)
  return tasks.flatMap(({ id, kind, state, segments }): RenderingTask[] => {
    if (kind !== 'render' && kind !== 'make') return []
    const names = (attemptsOf.get(id) ?? [])
      .filter((attempt) => attempt.state === 'running')
      .flatMap(({ written }) => written)
    const written = names.flatMap((name) => /^segment-(\d+)$/.exec(name)?.[1] ?? []).map(Number)
    return [{ state, segments: segments ?? 'all', written: new Set(written) }]
  })
}

const reasons: Readonly<Record<AttemptState, string | null>> = {
  ...{ running: null, completed: null, failed: null },
  lost: 'The machine fell silent',
  returned: 'The machine handed it back unfinished',
  cancelled: 'The job ended',
  superseded: 'Another attempt was first',
}

/** The farm's own failures are named by their kind alone: their text is about its machines. */
function reasonOf(state: AttemptState, error: TimelineAttempt['error']): string | null {
  if (state !== 'failed' || !error) return reasons[state]
  const code = Object.hasOwn(errorCodes, error.code) ? (error.code as ErrorCode) : 'internal'
  return errorCodes[code].blame === 'customer' ? error.message : titleOf(code)
}
