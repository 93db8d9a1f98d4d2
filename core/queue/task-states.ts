/**
 * States of a task. `queued`: a node may lease it. `leased`: at least one attempt runs. The other
 * three are final. A task returns to `queued` when its last running attempt fails and may be
 * retried, is lost, or is handed back.
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

/** Returns the states from which `to` can be reached in one move. */
export function taskSourcesOf(to: TaskState): readonly TaskState[] {
  return taskStates.filter((from) => moves[from].includes(to))
}

export function mayTaskMove(from: TaskState, to: TaskState): boolean {
  return moves[from].includes(to)
}

/**
 * States of one attempt at a task, which runs and ends once. `failed`: reported by its node.
 * `lost`: its lease expired. `returned`: handed back unfinished, without blame. `cancelled`: its
 * task was. `superseded`: another attempt at the same task was first.
 */
export type AttemptState =
  | 'running'
  | 'completed'
  | 'failed'
  | 'lost'
  | 'returned'
  | 'cancelled'
  | 'superseded'
