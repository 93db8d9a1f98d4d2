import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'
import { outcomeOf } from './task-outcome.ts'

export type JobTask = {
  readonly name: string
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  readonly requirements: TaskRequirements
  /** Undefined while the task lives. */
  readonly outcome: TaskOutcome | undefined
}

/** Every task a job has been given so far, in the order of their making. */
export async function listTasksOfJob(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<readonly JobTask[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['name', 'kind', 'spec', 'inputs', 'requirements'])
    .select(['id', 'account_id', 'state', 'won_attempt', 'outputs', 'result', 'error'])
    .where('job_id', '=', jobId)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('name')
    .modifyEnd(prepared('list-tasks-of-job'))
    .execute()
  return rows.map((row) => ({
    name: row.name,
    kind: row.kind,
    spec: row.spec,
    inputs: row.inputs,
    requirements: row.requirements,
    outcome: outcomeOf(row),
  }))
}
