import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { tellOfTasks } from './tell-of-tasks.ts'

/** Notifies the schedulers of tasks whose delay ended within the last `seconds`. */
export async function tellOfDueTasks(db: Db, { seconds }: { seconds: number }): Promise<void> {
  await tellOfTasks(sql`(
    select kind, requirements from tasks
    where state = 'queued' and not_before <= now()
      and not_before > now() - make_interval(secs => ${seconds})
  )`).execute(db)
}
