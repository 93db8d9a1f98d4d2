import { sql } from 'kysely'
import type { JobError, JobStage, JobState } from '../../../core/jobs.ts'
import type { Priority } from '../../../core/shares.ts'
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
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** Jobs of all accounts for the farm's people, the latest first; or the one asked for. */
export async function listFarmJobs(
  db: Db,
  { state, id, limit }: { state?: string; id?: string; limit: number },
): Promise<readonly FarmJob[]> {
  const { rows } = await sql<FarmJob>`
    select j.id, j.account_id as "accountId", a.name as account, j.name, j.state,
      j.state_reason as "stateReason", j.stage, j.priority, j.error,
      (select count(*) from tasks t where t.job_id = j.id and t.state = 'queued') as queued,
      (select count(*) from attempts r where r.job_id = j.id and r.state = 'running') as running,
      j.created_at as "createdAt", j.finished_at as "finishedAt"
    from jobs j join accounts a on a.id = j.account_id
    where (${state ?? null}::text is null or j.state = ${state ?? null})
      and (${id ?? null}::uuid is null or j.id = ${id ?? null})
    order by j.created_at desc, j.id limit ${limit}`.execute(db)
  return rows
}
