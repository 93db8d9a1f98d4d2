import { sql } from 'kysely'
import { isFinal, type JobError, type JobStage, type JobState } from '../../../core/jobs/jobs.ts'
import type { Priority } from '../../../core/queue/shares.ts'
import type { Db } from '../database.ts'

export type FarmJob = {
  readonly id: string
  readonly accountId: string
  readonly account: string
  readonly name: string
  readonly state: JobState
  readonly stateReason: string
  readonly stage: JobStage | null
  readonly priority: Priority
  readonly queued: number
  readonly running: number
  readonly error: JobError | null
  /** Null: it is not held. */
  readonly heldAt: Date | null
  readonly holdReason: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** Filters of jobs; an absent one matches any. */
export type JobFilter = {
  readonly id?: string
  readonly state?: JobState
  readonly accountId?: string
  /** A part of the job's name, in any case of its letters. */
  readonly name?: string
  /** A node that has worked at it. */
  readonly nodeId?: string
  /** Code of the error that it failed with. */
  readonly code?: string
  readonly createdFrom?: Date
  readonly createdTo?: Date
}

/**
 * Lists jobs of all accounts for operators, the latest first; with `after` (a job's id) those that
 * follow it.
 */
export async function listFarmJobs(
  db: Db,
  {
    limit,
    offset = 0,
    after,
    ...filter
  }: JobFilter & { limit: number; offset?: number; after?: string },
): Promise<readonly FarmJob[]> {
  const { rows } = await sql<FarmJob>`
    select j.id, j.account_id as "accountId", a.name as account, j.name, j.state,
      j.state_reason as "stateReason", j.stage, j.priority, j.error,
      case when j.finished_at is null then j.held_at end as "heldAt", j.hold_reason as "holdReason",
      (select count(*) from tasks t where t.job_id = j.id and t.state = 'queued') as queued,
      (select count(*) from attempts r where r.job_id = j.id and r.state = 'running') as running,
      j.created_at as "createdAt", j.finished_at as "finishedAt"
    from jobs j join accounts a on a.id = j.account_id
    where ${sql.join([following(after), ...conditionsOf(filter)], sql` and `)}
    order by j.created_at desc, j.id desc limit ${limit} offset ${offset}`.execute(db)
  return rows
}

function following(after: string | undefined) {
  return after === undefined
    ? sql`true`
    : sql`(j.created_at, j.id) < (select created_at, id from jobs where id = ${after})`
}

function conditionsOf(filter: JobFilter) {
  const { id, state, accountId, name, nodeId, code, createdFrom, createdTo } = filter
  return [
    id !== undefined && sql`j.id = ${id}`,
    state !== undefined && ofState(state),
    accountId !== undefined && sql`j.account_id = ${accountId}`,
    name !== undefined && sql`position(lower(${name}) in lower(j.name)) > 0`,
    nodeId !== undefined &&
      sql`j.id in (select job_id from attempts where node_id = ${nodeId} and job_id is not null)`,
    code !== undefined && sql`j.error is not null and j.error->>'code' = ${code}`,
    createdFrom !== undefined && sql`j.created_at >= ${createdFrom}`,
    createdTo !== undefined && sql`j.created_at < ${createdTo}`,
  ].filter((condition) => condition !== false)
}

/** Says what the state implies, so that the indexes of open and of ended jobs are used. */
function ofState(state: JobState) {
  const isOpen = !isFinal(state)
  return sql`j.state = ${state} and j.finished_at is ${isOpen ? sql`` : sql`not`} null`
}
