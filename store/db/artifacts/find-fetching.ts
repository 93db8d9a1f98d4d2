import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** A job of `group`, and the names of the tasks that fetch all it lacks. */
export type FetchingSearch = {
  readonly jobId: string
  readonly group: string
  readonly names: readonly string[]
}

/**
 * Finds, for each search, a job that already fetches exactly the same: a living one of the group,
 * or one of the earlier searches. The searching job then waits for it. So a fetching job never
 * waits, and none waits for media that it does not need.
 */
export async function findFetching(
  db: Db,
  { accountId, searches }: { accountId: string; searches: readonly FetchingSearch[] },
): Promise<readonly (string | undefined)[]> {
  const groups = [...new Set(searches.map(({ group }) => group))]
  const { rows } = await sql<FetchingSearch>`
    ${prepared('find-fetching')} select j.workflow_group as "group", j.id as "jobId",
      array_agg(t.name) as names
    from jobs j join tasks t on t.job_id = j.id and t.kind = 'ingest'
    where j.workflow_group = any(${groups}::uuid[]) and j.finished_at is null
      and j.account_id = ${accountId} and t.account_id = ${accountId}
    group by j.workflow_group, j.id order by min(t.created_at), j.id`.execute(db)
  const fetchers = new Map<string, string>()
  return [...rows, ...searches]
    .map((each) => {
      const key = [each.group, ...[...each.names].sort()].join(' ')
      const first = fetchers.get(key) ?? each.jobId
      fetchers.set(key, first)
      return first === each.jobId ? undefined : first
    })
    .slice(rows.length)
}
