import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Answers whether a task of the kind is in the queue, whether or not a node could take it. */
export async function isQueued(db: Db, kind: string): Promise<boolean> {
  const { rows } = await sql`
    select from task_shapes s cross join lateral (
      select from tasks t where t.state = 'queued' and t.shape_id = s.id limit 1
    ) some_task
    where s.kind = ${kind} limit 1`.execute(db)
  return rows.length > 0
}
