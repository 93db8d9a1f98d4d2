import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type ExpiredJob = {
  readonly id: string
  readonly accountId: string
  readonly tasks: readonly {
    readonly id: string
    /** Number of its leases: each attempt may have written its outputs. */
    readonly attempt: number
    readonly outputs: readonly string[]
  }[]
}

/**
 * Locks jobs whose files are due for removal, the longest due first; jobs that others have locked
 * are skipped.
 */
export async function lockExpiredJobs(
  db: Db,
  { limit }: { limit: number },
): Promise<readonly ExpiredJob[]> {
  const { rows } = await sql<ExpiredJob>`
    with expired as (
      select id, account_id, files_expire_at from jobs
      where files_removed_at is null and files_expire_at <= now()
      order by files_expire_at limit ${limit} for update skip locked
    )
    select id, account_id as "accountId", coalesce((
      select json_agg(json_build_object('id', t.id, 'attempt', t.attempt, 'outputs', t.outputs))
      from tasks t where t.job_id = expired.id
    ), '[]') as tasks
    from expired order by files_expire_at`.execute(db)
  return rows
}
