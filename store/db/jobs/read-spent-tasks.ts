import { sql } from 'kysely'
import type { JobClock, SpentTask } from '../../../core/jobs/explained-times.ts'
import { jobStages } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import type { JobView } from './get-job.ts'

/** Tasks that one explanation reads at most; a film of an hour has some hundreds. */
const mostTasks = 5_000

/** Reads the tasks of an account's job with the seconds that nodes reported, and of their attempts. */
export async function readSpentTasks(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<readonly SpentTask[]> {
  const { rows } = await sql<SpentTask>`
    select t.kind, t.spec->>'field' as field, t.result->'seconds' as seconds,
      t.result->'slowFrames' as "slowFrames",
      (
        select coalesce(jsonb_agg(jsonb_build_object('state', a.state,
          'seconds', extract(epoch from coalesce(a.ended_at, now()) - a.leased_at)::float8)), '[]')
        from attempts a where a.task_id = t.id
      ) as attempts
    from tasks t where t.job_id = ${jobId} and t.account_id = ${accountId}
    order by t.created_at, t.id limit ${mostTasks}`.execute(db)
  return rows
}

/** Returns a job's times as seconds since its submission. */
export function clockOf({ createdAt, finishedAt, stages }: JobView): JobClock {
  const since = (time: Date) => Math.max(0, (time.getTime() - createdAt.getTime()) / 1000)
  return {
    seconds: since(finishedAt ?? new Date()),
    entered: jobStages.flatMap((name) => {
      const at = stages[name]
      return at === undefined ? [] : [{ name, at: since(new Date(at)) }]
    }),
  }
}
