/**
 * The life of a task. `queued`: a node may take it. `leased`: at least one attempt runs. The other
 * three are final. It goes back to `queued` when its last running attempt ends without an end of
 * the task: failed and to be tried elsewhere, lost, or handed back.
 */
export const taskStates = ['queued', 'leased', 'completed', 'failed', 'cancelled'] as const
export type TaskState = (typeof taskStates)[number]

const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  queued: ['leased', 'cancelled'],
  leased: ['queued', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** The states from which `to` can be reached in one move. */
export function taskSourcesOf(to: TaskState): readonly TaskState[] {
  return taskStates.filter((from) => moves[from].includes(to))
}

export function mayTaskMove(from: TaskState, to: TaskState): boolean {
  return moves[from].includes(to)
}

/**
 * One attempt at a task: it runs and ends once. `failed`: its node said so. `lost`: its lease ran
 * out. `returned`: given back unfinished, nobody's fault. `cancelled`: the task was. `superseded`:
 * another attempt at the same task was first.
 */
export type AttemptState =
  | 'running'
  | 'completed'
  | 'failed'
  | 'lost'
  | 'returned'
  | 'cancelled'
  | 'superseded'
