import { sql } from 'kysely'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'
import { type EndedTask, outcomeOf } from './task-outcome.ts'

export type JobTask = {
  readonly name: string
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  readonly requirements: TaskRequirements
  /** Undefined while the task lives. */
  readonly outcome: TaskOutcome | undefined
}

type Row = Omit<JobTask, 'outcome'> & EndedTask & { readonly job_id: string }

/**
 * Lists every task of an account's jobs in the order of creation; the lists are in the order of the
 * jobs.
 */
export async function listTasksOfJobs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<readonly (readonly JobTask[])[]> {
  const { rows } = await sql<Row>`
    ${prepared('list-tasks-of-jobs')} select job_id, name, kind, spec, inputs, requirements,
      id, account_id, state, won_attempt, outputs, result, error
    from tasks where job_id = any(${jobIds}::uuid[]) and account_id = ${accountId}
    order by created_at, name`.execute(db)
  const ofJob = Map.groupBy(rows, ({ job_id }) => job_id)
  return jobIds.map((jobId) => (ofJob.get(jobId) ?? []).map(toJobTask))
}

function toJobTask(row: Row): JobTask {
  const { name, kind, spec, inputs, requirements } = row
  return { name, kind, spec, inputs, requirements, outcome: outcomeOf(row) }
}
