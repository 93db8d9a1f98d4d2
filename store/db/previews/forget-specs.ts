import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Empties what the tasks of ended previews were asked and have answered, their words to the workflow
 * and their logs included: it holds the draft's addresses and texts, and nothing of an ended job is
 * given out again. The codes of failed attempts stay for operators.
 */
export async function forgetSpecs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<void> {
  await sql`
    ${prepared('forget-specs')} with ended as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select id from tasks where job_id = any(${jobIds}::uuid[]) and account_id = ${accountId}
      order by id for update
    )
    update tasks set spec = '{}'::jsonb, result = null, error = null, log_tail = null
    from ended where tasks.id = ended.id`.execute(db)
  await sql`
    ${prepared('forget-answers')} with attempted as (
      update attempts a set log_tail = null,
        error = case when a.error is not null
          then jsonb_build_object('code', a.error->'code', 'message', '') end
      from tasks t where t.job_id = any(${jobIds}::uuid[]) and t.account_id = ${accountId}
        and a.task_id = t.id and (a.error is not null or a.log_tail is not null)
    )
    update task_words w set outcome = '{"state": "cancelled"}'::jsonb
    from tasks t where t.job_id = any(${jobIds}::uuid[]) and t.account_id = ${accountId}
      and w.task_id = t.id`.execute(db)
}
