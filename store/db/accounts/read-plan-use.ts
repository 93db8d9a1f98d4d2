import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Use of an account, of each limit of its plan. */
export type PlanUse = {
  readonly tasksRunning: number
  /** The account's own limit of running tasks; null: the plan's. */
  readonly burst: number | null
  readonly jobsOpen: number
  /** Media, bakes and segments for later jobs, and uploads. */
  readonly storedBytes: number
}

export async function readPlanUse(db: Db, accountId: string): Promise<PlanUse | undefined> {
  const { rows } = await sql<PlanUse>`
    select slots_burst as burst,
      (select count(*)::integer from attempts
        where state = 'running' and account_id = a.id) as "tasksRunning",
      (select count(*)::integer from jobs
        where account_id = a.id and finished_at is null) as "jobsOpen",
      (
        (select coalesce(sum(bytes), 0) from artifacts where account_id = a.id) +
        (select coalesce(sum(bytes), 0) from uploads
          where account_id = a.id and deleted_at is null)
      )::float8 as "storedBytes"
    from accounts a where a.id = ${accountId}`.execute(db)
  return rows[0]
}

/** Requests of the present minute that replicas have taken for the account. */
export async function readRequestsOfMinute(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select used from rate_windows where subject = ${`account:${accountId}`}
      and minute = date_trunc('minute', clock_timestamp(), 'UTC')`.execute(db)
  return rows[0]?.used ?? 0
}
