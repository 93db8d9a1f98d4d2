import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import type { Span } from './axis.ts'

type Attempt = Timeline['attempts'][number]

/** An attempt beside the others of its task. */
export type KnownAttempt = {
  readonly attempt: Attempt
  readonly span: Span
  /** Kind and segments of its task. */
  readonly name: string
  readonly outline?: 'retry' | 'twin'
  /** Reason for a second attempt, to follow its own words; '' for a first one. */
  readonly note: string
  /** Moment since which its task waited for it, ms; absent for a twin, which waits for nothing. */
  readonly waitedFrom?: number
}

/** Tells of each attempt what came before it: a wait, an attempt that failed, or one that still runs. */
export function historiesOf(
  { tasks, attempts }: Timeline,
  spanOf: (begun: string, ended: string | null) => Span,
): KnownAttempt[] {
  const taskOf = new Map(tasks.map((task) => [task.id, task]))
  const before = new Map<string, { attempt: Attempt; span: Span }[]>()
  const inOrder = attempts
    .map((attempt) => ({ attempt, span: spanOf(attempt.leasedAt, attempt.endedAt) }))
    .toSorted((a, b) => a.span.from - b.span.from)
  return inOrder.map((known) => {
    const { attempt, span } = known
    const task = taskOf.get(attempt.taskId)
    const earlier = before.get(attempt.taskId) ?? []
    before.set(attempt.taskId, [...earlier, known])
    const name = `${task?.kind ?? 'task'}${segmentsOf(attempt.segments)}`
    const last = earlier.at(-1)
    if (!last) {
      const queued = task && Date.parse(task.queuedAt)
      const isLate = queued !== undefined && queued < span.from
      return { ...known, name, note: '', ...(isLate && { waitedFrom: queued }) }
    }
    const beside = earlier.find((other) => other.span.to > span.from)
    if (beside) {
      const note = `; beside attempt ${beside.attempt.number}, which was slow`
      return { ...known, name, note, outline: 'twin' }
    }
    const { number, state, reason } = last.attempt
    const why = reason ? `: ${reason}` : ''
    const note = `; attempt ${number} ${state === 'failed' ? '' : 'was '}${state}${why}`
    return { ...known, name, note, outline: 'retry', waitedFrom: last.span.to }
  })
}

/** Returns ` 3 to 5` for consecutive segments, ` 0, 4` for others. */
function segmentsOf(segments: readonly number[]): string {
  const [first] = segments
  const last = segments.at(-1)
  if (first === undefined || last === undefined) return ''
  if (segments.length === 1) return ` ${first}`
  const isRange = last - first === segments.length - 1
  return isRange ? ` ${first} to ${last}` : ` ${segments.join(', ')}`
}
