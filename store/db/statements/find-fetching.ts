import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** A job of `group`, and the names of the tasks by which it would fetch its media. */
export type FetchingSearch = {
  readonly jobId: string
  readonly group: string
  readonly names: readonly string[]
}

type Row = { readonly group: string; readonly jobId: string; readonly name: string }

/**
 * Of each search, the jobs that fetch some of it already: living ones of the same group, and jobs of the searches
 * before it. A job that finds any is to wait for them, so whoever fetches waits for nobody.
 */
export async function findFetching(
  db: Db,
  { accountId, searches }: { accountId: string; searches: readonly FetchingSearch[] },
): Promise<readonly (readonly string[])[]> {
  const groups = [...new Set(searches.map(({ group }) => group))]
  const names = [...new Set(searches.flatMap((search) => search.names))]
  const { rows } = await sql<Row>`
    ${prepared('find-fetching')} select j.workflow_group as "group", j.id as "jobId", t.name
    from jobs j join tasks t on t.job_id = j.id and t.name = any(${names})
    where j.workflow_group = any(${groups}::uuid[]) and j.finished_at is null
      and j.account_id = ${accountId} and t.account_id = ${accountId}
    order by t.created_at, t.id`.execute(db)
  const fetchers = new Map<string, string>()
  const note = ({ group, jobId, name }: Row) => {
    const key = `${group} ${name}`
    if (!fetchers.has(key)) fetchers.set(key, jobId)
  }
  for (const row of rows) note(row)
  return searches.map(({ jobId, group, names: wanted }) => {
    const found = wanted.flatMap((name) => fetchers.get(`${group} ${name}`) ?? [])
    const others = [...new Set(found)].filter((other) => other !== jobId)
    if (others.length === 0) for (const name of wanted) note({ group, jobId, name })
    return others
  })
}
