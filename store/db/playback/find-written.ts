import { sql } from 'kysely'
import { taskOutputKey } from '../../objects/keys.ts'
import type { Db } from '../database.ts'
import type { JobOutput } from './want-outputs.ts'

/**
 * Finds outputs that tasks of an account's jobs have written so far: those of attempts that have
 * completed, and those that a running attempt has reported.
 * @returns object keys by `outputId`
 */
export async function findWritten(
  db: Db,
  { accountId, outputs }: { accountId: string; outputs: readonly JobOutput[] },
): Promise<ReadonlyMap<string, string>> {
  if (outputs.length === 0) return new Map()
  const { rows } = await sql<JobOutput & { taskId: string; attempt: number }>`
    select distinct on (t.job_id, asked.name) t.job_id as "jobId", asked.name, t.id as "taskId",
      a.attempt
    from unnest(${outputs.map(({ jobId }) => jobId)}::uuid[],
      ${outputs.map(({ name }) => name)}::text[]) as asked (job_id, name)
      join tasks t on t.job_id = asked.job_id and t.outputs ? asked.name
      join attempts a on a.task_id = t.id
    where t.account_id = ${accountId}
      and (a.attempt = t.won_attempt
        or (a.state = 'running' and asked.name = any(a.written)))
    order by t.job_id, asked.name, a.attempt`.execute(db)
  return new Map(
    rows.map(({ jobId, name, ...at }) => [
      outputId({ jobId, name }),
      taskOutputKey({ accountId, name, ...at }),
    ]),
  )
}

export function outputId({ jobId, name }: JobOutput): string {
  return `${jobId}/${name}`
}
