import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * An object that a row of an account names. `of`: `artifact` = something to be used again, whose `name` is its
 * kind and `id` its digest; `file` = an output of the job `id`; `upload` = an upload `id`; `open job` = an input
 * or a result of a task of the job `id`, which has not ended.
 */
export type ExpectedObject = {
  readonly of: 'artifact' | 'file' | 'upload' | 'open job'
  readonly id: string
  readonly name: string
  readonly key: string
  /** Null: not recorded. */
  readonly bytes: number | null
}

/** Lists the objects that the store must have by the rows of an account. */
export async function listExpectedObjects(
  db: Db,
  accountId: string,
): Promise<readonly ExpectedObject[]> {
  const { rows } = await sql<ExpectedObject>`
    select 'artifact' as of, digest as id, kind as name, object_key as key, bytes
      from artifacts where account_id = ${accountId}
    union all select 'file', id::text, 'output', output_key, (result->>'size')::bigint
      from jobs where account_id = ${accountId} and output_key is not null and files_removed_at is null
    union all select 'file', id::text, 'thumbnail', thumbnail_key, null
      from jobs where account_id = ${accountId} and thumbnail_key is not null
        and files_removed_at is null
    union all select 'upload', id::text, name, object_key, bytes
      from uploads where account_id = ${accountId} and stored_at is not null and deleted_at is null
    union all select 'open job', t.job_id::text, t.name, input->>'key', null
      from jobs j join tasks t on t.job_id = j.id cross join jsonb_array_elements(t.inputs) input
      where j.account_id = ${accountId} and j.finished_at is null
        and t.state in ('queued', 'held', 'leased')
    union all select 'open job', t.job_id::text, t.name,
        format('accounts/%s/tasks/%s/%s/%s', t.account_id, t.id, t.won_attempt, output), null
      from jobs j join tasks t on t.job_id = j.id
        cross join jsonb_array_elements_text(t.outputs) output
      where j.account_id = ${accountId} and j.finished_at is null and t.state = 'completed'
        -- Written by each attempt that completes; others depend on what it found.
        and output ~ '^(segment-[0-9]+|bake-[0-9]+|output)$'`.execute(db)
  return rows
}
