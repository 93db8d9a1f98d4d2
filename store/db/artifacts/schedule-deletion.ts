import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Schedules objects for deletion now. A key that ends in a slash stands for all below it. Artifacts
 * are skipped: they are dropped when they are no longer used.
 */
export async function scheduleDeletion(db: Db, keys: readonly string[]): Promise<void> {
  await sql`
    insert into doomed_objects (object_key, not_before)
    select key, now() from unnest(${keys}::text[]) as key
    where not exists (select from artifacts where object_key = key)
    on conflict (object_key) do update set
      not_before = least(doomed_objects.not_before, excluded.not_before)`.execute(db)
}
