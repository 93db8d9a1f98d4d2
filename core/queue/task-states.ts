/**
 * States of a task. `queued`: a node may lease it. `held`: its job is held, so none may. `leased`: at
 * least one attempt runs. The other three are final. A task returns to `queued` (of a held job: to
 * `held`) when its last running attempt fails and may be retried, is lost, or is handed back.
 */
export const taskStates = ['queued', 'held', 'leased', 'completed', 'failed', 'cancelled'] as const
export type TaskState = (typeof taskStates)[number]

const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  queued: ['held', 'leased', 'cancelled'],
  held: ['queued', 'cancelled'],
  leased: ['queued', 'held', 'completed', 'failed', 'cancelled'],
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
