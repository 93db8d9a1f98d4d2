import { sql } from 'kysely'
import { type Limit, type LimitFacts, limitsReached } from '../../../core/queue/limits.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskRequirements } from '../fleet-schema.ts'

export type QueueView = {
  readonly account: string
  readonly accountId: string
  readonly kind: TaskKind
  readonly requirements: TaskRequirements
  readonly queued: number
  readonly running: number
  /** Wait of the oldest queued one. */
  readonly waitSeconds: number
  /** Missing capabilities of the node that lacks the fewest; null when no node takes work. */
  readonly missing: readonly string[] | null
  /** Limits that keep all its tasks from running, however idle the nodes. */
  readonly limits: readonly Limit[]
}

type Row = Omit<QueueView, 'limits'> & { readonly facts: LimitFacts }

/** Lists waiting tasks by account and shape, the longest waiting first. */
export async function listQueue(
  db: Db,
  { seenWithinMs, limit }: { seenWithinMs: number; limit: number },
): Promise<readonly QueueView[]> {
  const { rows } = await sql<Row>`
    with running as materialized (
      select account_id, shape_id, job_id, pool from attempts where state = 'running'
    ), job as (
      select account_id, shape_id, job_id, count(*) as queued, min(created_at) as oldest
      from tasks where state = 'queued' group by account_id, shape_id, job_id
    ), lane as (
      select account_id, shape_id, sum(queued)::bigint as queued, min(oldest) as oldest,
        min(coalesce(busy.running, 0)) as job_running
      from job left join (
        select job_id, count(*) as running from running group by job_id
      ) busy using (job_id)
      group by account_id, shape_id
    ), online as materialized (
      select distinct offer from nodes where state = 'active' and pause = ''
        and last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000})
    )
    select a.name as account, lane.account_id as "accountId", s.kind, s.requirements, lane.queued,
      (select count(*) from running r
        where r.account_id = lane.account_id and r.shape_id = lane.shape_id) as running,
      extract(epoch from now() - lane.oldest)::float8 as "waitSeconds", best.missing,
      json_build_object(
        'plan', a.plan, 'burst', a.slots_burst, 'jobRunning', lane.job_running,
        'accountRunning', (select count(*) from running r where r.account_id = lane.account_id),
        'farm', (select json_build_object('most', slots_max,
          'running', (select count(*) from running)) from farm_clock),
        'pools', (
          select coalesce(json_agg(json_build_object('name', fitting.pool, 'most', p.slots_max,
            'running', (select count(*) from running r where r.pool = fitting.pool))
            order by fitting.pool), '[]')
          from (
            select distinct offer->>'pool' as pool from online
            where task_lacks(s.kind, s.requirements, offer) = '{}'
          ) fitting left join pools p on p.name = fitting.pool
        )
      ) as facts
    from lane join accounts a on a.id = lane.account_id join task_shapes s on s.id = lane.shape_id
      left join lateral (
        select to_jsonb(task_lacks(s.kind, s.requirements, offer)) as missing from online
        order by jsonb_array_length(to_jsonb(task_lacks(s.kind, s.requirements, offer))) limit 1
      ) best on true
    order by lane.oldest limit ${limit}`.execute(db)
  return rows.map(({ facts, ...lane }) => ({ ...lane, limits: limitsReached(facts) }))
}
