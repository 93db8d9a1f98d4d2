import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Takes due objects off the list: call it in a transaction that commits only when they are gone
 * from the store. An object that has become an artifact again is not answered. `taken`: number of
 * rows taken.
 */
export async function takeDueDeletions(
  db: Db,
  { limit }: { limit: number },
): Promise<{ readonly taken: number; readonly keys: readonly string[] }> {
  const { rows } = await sql<{ key: string; inUse: boolean }>`
    with due as (
      select object_key from doomed_objects where not_before <= now()
      order by not_before limit ${limit} for update skip locked
    )
    delete from doomed_objects using due
    where doomed_objects.object_key = due.object_key
    returning due.object_key as key,
      exists (select from artifacts where object_key = due.object_key) as "inUse"`.execute(db)
  return { taken: rows.length, keys: rows.filter(({ inUse }) => !inUse).map(({ key }) => key) }
}
