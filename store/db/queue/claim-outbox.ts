import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { TaskOutcome } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'

export type TaskEvent = {
  readonly id: number
  readonly taskId: string
  readonly token: Buffer
  readonly outcome: TaskOutcome
  readonly jobId: string
  readonly name: string
  /** The workflow that the job shares with others. */
  readonly group: string | null
  /** More events for that workflow will come: its jobs have queued or leased tasks. */
  readonly groupGoesOn: boolean
}

/** Time after which another relay takes over from one that died. */
const claimSeconds = 10

/**
 * Claims task events to send to Temporal, oldest first. An event is sent at least once: one that is
 * not marked as sent returns when its claim is over.
 *
 * Rejected: sending inside the transaction that holds the rows (no claim needed, but a slow
 * Temporal would keep transactions open and hold vacuum back).
 */
export async function claimOutbox(
  db: Db,
  { limit }: { limit: number },
): Promise<readonly TaskEvent[]> {
  const { rows } = await sql<TaskEvent>`
    ${prepared('claim-outbox')} with claimed as (
      select id from task_words
      where sent_at is null and (claimed_until is null or claimed_until < now())
      order by id limit ${limit} for update skip locked
    ), events as (
      update task_words set claimed_until = now() + make_interval(secs => ${claimSeconds})
      from claimed, tasks, jobs
      where task_words.id = claimed.id and tasks.id = task_words.task_id and jobs.id = tasks.job_id
      returning task_words.id, task_id, token, outcome, jobs.id as job_id, tasks.name, jobs.workflow_group
    ), going_on as materialized (
      select workflow_group from (select distinct workflow_group from events) as claimed_groups
      where exists (
        select from jobs join tasks on tasks.job_id = jobs.id
        where jobs.workflow_group = claimed_groups.workflow_group and jobs.finished_at is null
          and tasks.state in ('queued', 'leased')
      )
    )
    select id, task_id as "taskId", token, outcome, job_id as "jobId", name, workflow_group as "group",
      going_on.workflow_group is not null as "groupGoesOn"
    from events left join going_on using (workflow_group)`.execute(db)
  return rows
}
