import { engineVersion } from '../../core/engine.ts'
import { stageOfKind, type TaskKind, type TaskSpec } from '../../core/queue/tasks.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../../store/db/fleet-schema.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { type RenderJobInput, renderJobId, type TaskEnd } from '../contract.ts'
import { writeToken } from '../outbox/task-token.ts'
import type { ActivityContext } from './context.ts'
import type { StartedTasks } from './next.ts'

/**
 * A task that a stage requests. `cost` is in frames' worth of work, the farm's unit of fairness.
 */
export type TaskRequest<K extends TaskKind = TaskKind> = {
  readonly [Kind in K]: {
    readonly name: string
    readonly kind: Kind
    readonly spec: TaskSpec<Kind>
    readonly inputs: readonly TaskInput[]
    readonly outputs: readonly string[]
    readonly requirements?: TaskRequirements
    readonly cost: number
    readonly frames?: number
  }
}[K]

/**
 * Queues tasks in order, and records the stages they belong to. All but fetches need a node of an engine: this
 * version's, if the request names no other. A task that a repeated step finds
 * queued is not queued twice; when it has ended, its end is returned. Nodes take tasks by
 * scheduler/rpc/lease.ts.
 */
export async function startTasks(
  { queries }: ActivityContext,
  { accountId, jobId }: RenderJobInput,
  requests: readonly TaskRequest[],
): Promise<StartedTasks> {
  for (const stage of new Set(requests.map(({ kind }) => stageOfKind[kind]))) {
    await queries.enterStage({ accountId, jobId, stage })
  }
  return { tasks: await Promise.all(requests.map(start)) }

  async function start({
    name,
    kind,
    frames = 0,
    requirements = {},
    ...request
  }: TaskRequest): Promise<StartedTasks['tasks'][number]> {
    const token = writeToken({ workflowId: renderJobId(jobId), task: name })
    const task = await queries.enqueueTask({
      ...request,
      ...{ accountId, jobId, name, kind, token, framesTotal: frames },
      requirements: kind === 'ingest' ? requirements : { engine: engineVersion, ...requirements },
      spec: { ...request.spec },
    })
    return task.live ? { name } : { name, end: endOfOutcome(task.outcome) }
  }
}

/** A task that an earlier try of a step put into the queue. */
export function startedTask({ name, outcome }: Pick<JobTask, 'name' | 'outcome'>) {
  return outcome ? { name, end: endOfOutcome(outcome) } : { name }
}

/** Reduces an outcome to what the workflow needs. Results stay in the task's row. */
export function endOfOutcome(outcome: TaskOutcome): TaskEnd {
  switch (outcome.state) {
    case 'completed':
    case 'cancelled':
      return { state: outcome.state }
    case 'failed':
      return { state: 'failed', error: outcome.error }
    default:
      return outcome satisfies never
  }
}
