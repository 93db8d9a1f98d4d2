import type { TaskState } from '../queue/task-states.ts'

/**
 * State of a segment in its job. `reused`: it was in the store. `repeated`: it equals another segment of
 * the film, which is rendered for both.
 */
export const segmentStates = ['reused', 'repeated', 'waiting', 'rendering', 'done'] as const
export type SegmentState = (typeof segmentStates)[number]

/** A task that renders segments; `all`: it makes the whole film. */
export type RenderingTask = {
  readonly state: TaskState
  readonly segments: readonly number[] | 'all'
  /** Indexes of segments that are stored, though the task is not completed. */
  readonly written: ReadonlySet<number>
}

/** Returns the state of each segment, in their order. */
export function statesOfSegments({
  fingerprints,
  tasks,
  awaited,
  isOpen,
}: {
  readonly fingerprints: readonly string[]
  readonly tasks: readonly RenderingTask[]
  /** Fingerprints that another job of the account renders. */
  readonly awaited: ReadonlySet<string>
  readonly isOpen: boolean
}): SegmentState[] {
  const whole = tasks.find(({ segments }) => segments === 'all')
  const taskOf = new Map<number, RenderingTask>()
  for (const task of tasks) {
    if (task.segments !== 'all') for (const index of task.segments) taskOf.set(index, task)
  }
  const rendered = new Set([...taskOf.keys()].flatMap((index) => fingerprints[index] ?? []))
  return fingerprints.map((fingerprint, index) => {
    const task = taskOf.get(index) ?? whole
    if (task) return stateIn(task, index)
    if (rendered.has(fingerprint)) return 'repeated'
    return isOpen && awaited.has(fingerprint) ? 'waiting' : 'reused'
  })
}

function stateIn({ state, written }: RenderingTask, index: number): SegmentState {
  if (state === 'completed' || written.has(index)) return 'done'
  return state === 'leased' ? 'rendering' : 'waiting'
}
