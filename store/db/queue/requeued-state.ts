import { type RawBuilder, sql } from 'kysely'
import { sharedFetchKind } from '../../../core/queue/tasks.ts'

/**
 * State of a row of `tasks` that goes to the queue: `held` where its job is held. Media that other
 * jobs of a workflow wait for are fetched all the same. The task must have been locked by an earlier
 * statement, as holding a job locks its tasks (jobs/hold-job.ts).
 */
export function requeuedState(): RawBuilder<unknown> {
  return sql`case when exists (
    select from jobs j where j.id = tasks.job_id and ${holdsTask(sql`tasks.kind`)}
  ) then 'held' else 'queued' end`
}

/** Condition: the job `j` holds its tasks of the kind. */
export function holdsTask(kind: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`j.held_at is not null
    and not (${kind} = ${sharedFetchKind} and j.workflow_group is not null)`
}
