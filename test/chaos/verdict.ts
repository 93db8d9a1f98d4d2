import { sql } from 'kysely'
import type { Db } from '../../store/db/database.ts'
import type { Diary } from './customers.ts'
import type { Receiver } from './receiver.ts'

/** One promise, the number of its tests, and its breaches. */
export type Check = {
  readonly promise: string
  readonly tested: number
  readonly broken: readonly string[]
}

export type JobRow = {
  readonly id: string
  readonly accountId: string
  readonly state: string
  readonly errorCode: string | null
  readonly webhookUrl: string
  /** Attempts whose lease ran out or whose disk was full, of the task with the most of them. */
  readonly stricken: number
}

export async function readJobs(db: Db): Promise<readonly JobRow[]> {
  const { rows } = await sql<JobRow>`
    select id, account_id as "accountId", state, error ->> 'code' as "errorCode",
      webhook_url as "webhookUrl",
      (select coalesce(max(n), 0) from (
        select count(*) as n from attempts
        where job_id = jobs.id and (state = 'lost' or error ->> 'code' = 'disk_full')
        group by task_id
      ) of_task) as stricken
    from jobs order by created_at`.execute(db)
  return rows
}

/** Checks the promises of each 202, also by the customers' observations. */
export function checkJobs(jobs: readonly JobRow[], diary: Diary): Check[] {
  const byId = new Map(jobs.map((job) => [job.id, job]))
  const isFinal = ({ state }: JobRow) => ['completed', 'failed', 'cancelled'].includes(state)
  const failed = jobs.filter(({ state }) => state === 'failed')
  const seen = [...diary.final]
  return [
    {
      promise: 'every accepted job is there',
      tested: diary.accepted.length,
      broken: diary.accepted.map(({ jobId }) => jobId).filter((id) => !byId.has(id)),
    },
    {
      promise: 'every job has ended',
      tested: jobs.length,
      broken: jobs.filter((job) => !isFinal(job)).map(({ id, state }) => `${id} is ${state}`),
    },
    {
      promise: 'a job fails only for what the faults explain',
      tested: jobs.length,
      broken: failed.filter((job) => !isExplained(job)).map(sayFailure),
    },
    {
      promise: 'an end that was seen stands',
      tested: seen.length,
      broken: seen
        .filter(([id, state]) => byId.get(id)?.state !== state)
        .map(([id, state]) => `${id} was ${state} and is ${byId.get(id)?.state}`),
    },
    {
      promise: 'a repeated submission is made once',
      tested: diary.repeated.length,
      broken: diary.repeated.flatMap(({ tag, jobs: wanted }) => {
        const made = jobs.filter(({ webhookUrl }) => webhookUrl.endsWith(tag)).length
        return made === wanted ? [] : [`${tag} made ${made} jobs instead of ${wanted}`]
      }),
    },
    {
      promise: 'no right request is refused',
      tested: diary.accepted.length + diary.lost,
      broken: diary.wronged,
    },
  ]
}

/** Three attempts at one task, each on a node that was killed, frozen, cut off or out of disk. */
const strickenAtMost = 3

/** A full disk, or work whose machine failed it three times, may end a job (safety rules). */
function isExplained({ errorCode, stricken }: JobRow): boolean {
  return errorCode === 'disk_full' || (errorCode === 'node_lost' && stricken >= strickenAtMost)
}

function sayFailure({ id, errorCode, stricken }: JobRow): string {
  return `${id} failed as ${errorCode} with ${stricken} attempts that lost their machine or disk`
}

type Ledger = {
  readonly id: string
  readonly balance: number
  readonly reserved: number
  readonly balanceOfEntries: number
  readonly reservedOfEntries: number
}

/** Checks the ledger against the balances, and each job's own entries. */
export async function checkCredits(db: Db): Promise<Check[]> {
  const { rows: accounts } = await sql<Ledger>`
    select a.id, a.credits_balance as balance, a.credits_reserved as reserved,
      coalesce(sum(e.balance_change), 0)::bigint as "balanceOfEntries",
      coalesce(sum(e.reserved_change), 0)::bigint as "reservedOfEntries"
    from accounts a left join credit_entries e on e.account_id = a.id group by a.id`.execute(db)
  const { rows: jobs } = await sql<{ id: string; state: string; said: string }>`
    select * from (
      select j.id, j.state, format('%s: reserved %s, charged %s, captured %s in %s, released %s in %s',
          j.state, j.credits_reserved, j.credits_charged, c.credits, c.n, r.credits, r.n) as said,
        c.n <= 1 and r.n <= 1 and c.credits = j.credits_charged
          and c.credits + r.credits = j.credits_reserved
          and (j.state <> 'failed' or c.credits = 0)
          and (j.state <> 'completed' or (c.n = 1 and c.credits > 0)) as is_right
      from jobs j, lateral (
        select count(*) as n, coalesce(-sum(balance_change), 0)::bigint as credits
        from credit_entries where job_id = j.id and kind = 'capture'
      ) c, lateral (
        select count(*) as n, coalesce(-sum(reserved_change), 0)::bigint as credits
        from credit_entries where job_id = j.id and kind = 'release'
      ) r
    ) judged where not is_right`.execute(db)
  const { rows: held } = await sql<{ n: number }>`
    select count(*) as n from jobs`.execute(db)
  return [
    {
      promise: 'the ledger is the balance, and nothing is held',
      tested: accounts.length,
      broken: accounts
        .filter(
          (a) =>
            a.balance !== a.balanceOfEntries ||
            a.reserved !== a.reservedOfEntries ||
            a.reserved !== 0,
        )
        .map((account) => JSON.stringify(account)),
    },
    {
      promise: 'a job is captured once, or released',
      tested: held[0]?.n ?? 0,
      broken: jobs.map(({ id, said }) => `${id} ${said}`),
    },
  ]
}

type DeliveryRow = { readonly id: string; readonly jobId: string; readonly body: string }

/** Compares each end with the arrivals at the customers' server. */
export async function checkEvents(
  db: Db,
  { jobs, receiver }: { jobs: readonly JobRow[]; receiver: Receiver },
): Promise<Check[]> {
  const { rows } = await sql<DeliveryRow>`
    select id, job_id as "jobId", body from webhook_deliveries`.execute(db)
  const told = jobs.filter(({ state }) => state === 'completed' || state === 'failed')
  const byDelivery = new Map(rows.map((row) => [row.id, row]))
  const arrived = new Set(receiver.arrivals.map(({ deliveryId }) => deliveryId))
  const ofJob = Map.groupBy(rows, ({ jobId }) => jobId)
  return [
    {
      promise: 'each end is told at least once, by one event',
      tested: told.length,
      broken: jobs.flatMap(({ id, state }) => {
        const wanted = state === 'cancelled' ? 0 : 1
        const events = ofJob.get(id) ?? []
        if (events.length !== wanted) return [`${id} (${state}) has ${events.length} events`]
        return events.every((each) => arrived.has(each.id)) ? [] : [`${id} was never told`]
      }),
    },
    {
      promise: 'a delivery that comes again is the same bytes',
      tested: receiver.arrivals.length,
      broken: receiver.arrivals
        .filter(({ deliveryId, body }) => byDelivery.get(deliveryId)?.body !== body)
        .map(({ deliveryId, path }) => `${deliveryId} at ${path}`),
    },
  ]
}

/** Checks that one attempt wins a task, and that its objects count. */
export async function checkTasks(db: Db): Promise<Check> {
  const { rows } = await sql<{ tasks: number; wrong: string[] | null }>`
    select count(*) as tasks, array_agg(t.id::text) filter (where t.state = 'completed' and (
      select array_agg(a.attempt) from attempts a where a.task_id = t.id and a.state = 'completed'
    ) is distinct from array[t.won_attempt]) as wrong
    from tasks t`.execute(db)
  return {
    promise: 'a task is won by one attempt',
    tested: rows[0]?.tasks ?? 0,
    broken: rows[0]?.wrong ?? [],
  }
}
