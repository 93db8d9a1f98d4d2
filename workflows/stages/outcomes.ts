import { Value } from 'typebox/value'
import { FarmError } from '../../core/errors.ts'
import { type TaskKind, type TaskResult, type TaskSpec, taskKinds } from '../../core/queue/tasks.ts'
import type { TaskInput, TaskRequirements } from '../../store/db/fleet-schema.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'

/** A finished task, its spec and its result checked, with the keys of its objects. */
export type Finished<K extends TaskKind> = {
  readonly name: string
  readonly spec: TaskSpec<K>
  readonly inputs: readonly TaskInput[]
  readonly requirements: TaskRequirements
  readonly result: TaskResult<K>
  readonly outputs: Readonly<Record<string, string>>
}

/** The finished tasks of one kind; those with an invalid answer are left out. */
export function finishedTasks<K extends TaskKind>(
  tasks: readonly JobTask[],
  kind: K,
): Finished<K>[] {
  return tasks.flatMap((task) => {
    if (task.kind !== kind || task.outcome?.state !== 'completed' || isWrong(task)) return []
    return [
      {
        name: task.name,
        spec: task.spec as TaskSpec<K>,
        inputs: task.inputs,
        requirements: task.requirements,
        result: task.outcome.result as TaskResult<K>,
        outputs: task.outcome.outputs,
      },
    ]
  })
}

/**
 * Throws on a result that does not match its task: a node may be compromised or out of date. The
 * job then ends as the farm's fault.
 */
export function checkAnswers(tasks: readonly JobTask[]): void {
  const wrong = tasks.find(isWrong)
  if (wrong) throw badAnswer(wrong.name)
}

function isWrong({ kind, spec, outcome }: JobTask): boolean {
  if (outcome?.state !== 'completed') return false
  const known = taskKinds[kind]
  return !Value.Check(known.spec, spec) || !Value.Check(known.result, outcome.result)
}

export function badAnswer(task: string): FarmError {
  return new FarmError('internal', `A machine of the farm gave a wrong answer for ${task}`)
}

/** The key of an object that a finished task must have written. */
export function outputKey({ name, outputs }: Finished<TaskKind>, output: string): string {
  const key = outputs[output]
  if (key === undefined) throw badAnswer(name)
  return key
}
