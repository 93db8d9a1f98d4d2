import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'

/** Notifies the schedulers of tasks whose delay ended within the last `seconds`. */
export async function notifyDueTasks(db: Db, { seconds }: { seconds: number }): Promise<void> {
  await notifyQueuedTasks(sql`(
    select kind, requirements from tasks
    where state = 'queued' and not_before <= now()
      and not_before > now() - make_interval(secs => ${seconds})
  )`).execute(db)
}
