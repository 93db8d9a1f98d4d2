import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Forgets the tasks of open jobs, so that a new workflow begins them again. Jobs that a node works at stay as
 * they are. @returns ids of the jobs
 */
export async function forgetTasks(db: Db, jobIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with idle as materialized (
      select id from jobs j where id = any(${jobIds}::uuid[]) and finished_at is null
        and not exists (
          select from attempts a where a.job_id = j.id and a.state = 'running' and a.expires_at > now()
        )
      for update
    ), tasks_gone as (
      delete from tasks using idle where tasks.job_id = idle.id
    ), claims_gone as (
      delete from segment_claims using idle where segment_claims.job_id = idle.id
    )
    select id from idle`.execute(db)
  return rows.map(({ id }) => id)
}
