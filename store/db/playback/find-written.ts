import { sql } from 'kysely'
import { taskOutputKey } from '../../objects/keys.ts'
import type { Db } from '../database.ts'

/**
 * Finds outputs that the job's tasks have written so far: those of attempts that have completed, and
 * those that a running attempt has reported. @returns object keys by name
 */
export async function findWritten(
  db: Db,
  { accountId, jobId, names }: { accountId: string; jobId: string; names: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; taskId: string; attempt: number }>`
    select distinct on (output.name) output.name, t.id as "taskId", a.attempt
    from tasks t join attempts a on a.task_id = t.id
      cross join lateral jsonb_array_elements_text(t.outputs) as output (name)
    where t.job_id = ${jobId} and t.account_id = ${accountId} and output.name = any(${names})
      and (a.attempt = t.won_attempt
        or (a.state = 'running' and output.name = any(a.written)))
    order by output.name, a.attempt`.execute(db)
  return new Map(
    rows.map(({ name, taskId, attempt }) => [
      name,
      taskOutputKey({ accountId, taskId, attempt, name }),
    ]),
  )
}
