import { sql } from 'kysely'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskRequirements } from '../fleet-schema.ts'

export type QueueView = {
  readonly account: string
  readonly accountId: string
  readonly kind: TaskKind
  readonly requirements: TaskRequirements
  readonly queued: number
  readonly running: number
  /** Of the oldest queued one. */
  readonly waitSeconds: number
  /** What the node lacks that lacks the least; null when no node takes work. */
  readonly missing: readonly string[] | null
}

/** What waits, by account and shape of task, the longest waiting first. */
export async function listQueue(
  db: Db,
  { seenWithinMs, limit }: { seenWithinMs: number; limit: number },
): Promise<readonly QueueView[]> {
  const { rows } = await sql<QueueView>`
    with lane as (
      select account_id, shape_id, count(*) as queued, min(created_at) as oldest
      from tasks where state = 'queued' group by account_id, shape_id
    )
    select a.name as account, lane.account_id as "accountId", s.kind, s.requirements, lane.queued,
      (select count(*) from attempts r where r.state = 'running'
        and r.account_id = lane.account_id and r.shape_id = lane.shape_id) as running,
      extract(epoch from now() - lane.oldest)::float8 as "waitSeconds", best.missing
    from lane join accounts a on a.id = lane.account_id join task_shapes s on s.id = lane.shape_id
      left join lateral (
        select to_jsonb(task_lacks(s.kind, s.requirements, n.offer)) as missing from nodes n
        where n.state = 'active' and n.pause = ''
          and n.last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000})
        order by jsonb_array_length(to_jsonb(task_lacks(s.kind, s.requirements, n.offer))) limit 1
      ) best on true
    order by lane.oldest limit ${limit}`.execute(db)
  return rows
}
