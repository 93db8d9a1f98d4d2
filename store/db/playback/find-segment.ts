import { sql } from 'kysely'
import { taskOutputKey } from '../../objects/keys.ts'
import type { Db } from '../database.ts'

type Row = {
  readonly accountId: string
  readonly objectKey: string | null
  readonly name: string
  readonly taskId: string
  readonly attempt: number
}

/**
 * Finds one segment of a film that is there, whichever it is: stored under one of the digests, or
 * written by a task of its job.
 * @returns its object key
 */
export async function findSegment(
  db: Db,
  { jobId, fingerprints }: { jobId: string; fingerprints: readonly string[] },
): Promise<string | undefined> {
  const { rows } = await sql<Row>`
    (
      select j.account_id as "accountId", a.object_key as "objectKey", '' as name,
        null::uuid as "taskId", 0 as attempt
      from jobs j join artifacts a on a.account_id = j.account_id
      where j.id = ${jobId} and a.kind = 'segment' and a.digest = any(${fingerprints}) limit 1
    ) union all (
      select t.account_id, null, output.name, t.id, a.attempt
      from tasks t join attempts a on a.task_id = t.id
        cross join lateral jsonb_array_elements_text(t.outputs) as output (name)
      where t.job_id = ${jobId} and output.name like 'segment-%'
        and (a.attempt = t.won_attempt
          or (a.state = 'running' and output.name = any(a.written))) limit 1
    ) limit 1`.execute(db)
  const [row] = rows
  return row && (row.objectKey ?? taskOutputKey(row))
}
