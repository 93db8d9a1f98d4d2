import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Places of an account in the store below which objects may lie that no row names one by one. */
export type KnownPlaces = {
  /** Jobs and tasks whose files have not been removed. */
  readonly jobs: ReadonlySet<string>
  readonly tasks: ReadonlySet<string>
  /** Keys, or prefixes with a slash, that are to be removed already, and those of uploads. */
  readonly keys: ReadonlySet<string>
}

/** Lists them for one account; an id that is no account's has only keys that are to be removed. */
export async function listKnownPlaces(db: Db, accountId: string): Promise<KnownPlaces> {
  const { rows: jobs } = await sql<{ id: string }>`
    select id from jobs where account_id::text = ${accountId} and files_removed_at is null`.execute(
    db,
  )
  const { rows: tasks } = await sql<{ id: string }>`
    select t.id from jobs j join tasks t on t.job_id = j.id
    where j.account_id::text = ${accountId} and j.files_removed_at is null`.execute(db)
  const { rows: keys } = await sql<{ key: string }>`
    select object_key as key from doomed_objects
      where starts_with(object_key, ${`accounts/${accountId}/`})
    union select object_key from uploads where account_id::text = ${accountId}`.execute(db)
  return {
    jobs: new Set(jobs.map(({ id }) => id)),
    tasks: new Set(tasks.map(({ id }) => id)),
    keys: new Set(keys.map(({ key }) => key)),
  }
}
