import { type RawBuilder, sql } from 'kysely'

/** Notification that there is more to lease: `tasks` of a kind, for one pool or any. */
export type TasksQueued = {
  readonly kind: string
  readonly pool: string | null
  readonly tasks: number
}

/**
 * A query that notifies the schedulers, at the commit, of the tasks in `queued`: rows with columns
 * `kind` and `requirements`. Postgres merges equal notifications of one transaction, so each
 * carries a count.
 */
export function notifyQueuedTasks(queued: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select pg_notify('tasks', json_build_object('kind', kind, 'pool', requirements->>'pool',
      'tasks', count(*))::text)
    from ${queued} queued group by kind, requirements->>'pool'`
}
