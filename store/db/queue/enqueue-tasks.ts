import { sql } from 'kysely'
import { isFinal, type JobState } from '../../../core/jobs/jobs.ts'
import type { Priority } from '../../../core/queue/shares.ts'
import { sharedFetchKind, type TaskKind } from '../../../core/queue/tasks.ts'
import { type Db, inTransaction } from '../database.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'
import { planShareRows, priorityRows } from './plan-shares.ts'
import { type EndedTask, outcomeOf } from './task-outcome.ts'

export type NewTask = {
  readonly jobId: string
  /** Unique in its job: `render-3`. */
  readonly name: string
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  /** Names of the objects the node will write. */
  readonly outputs: readonly string[]
  readonly requirements: TaskRequirements
  /** Work in any unit that is the same for all tasks of the farm, > 0. */
  readonly cost: number
  /** Frames it paints, 0 when it paints none. */
  readonly framesTotal: number
  readonly token: Buffer
}

type JobRow = {
  readonly id: string
  readonly state: JobState
  readonly priority: Priority
  readonly isHeld: boolean
  /** Other jobs of its workflow wait for the media that it fetches. */
  readonly sharesMedia: boolean
}

type AccountRow = { readonly pool: string | null; readonly tags: readonly string[] }

/** A live task reports its end to its token; an ended one has its outcome here. */
export type EnqueuedTask =
  | { readonly live: true; readonly taskId: string }
  | { readonly live: false; readonly outcome: TaskOutcome }

/**
 * Queues tasks of an account's jobs in order, each once for its (job, name). Repeated with another
 * token, a live task takes the new token, and an ended one returns its outcome. A job that has
 * ended gets no more tasks. Answers in the order of the tasks.
 *
 * Fairness is start-time fair queueing (Goyal, Vin, Cheng 1996). A task's start tag is max(virtual
 * time of the farm, finish tag of the flow's last task). The flow's finish tag moves on by cost /
 * weight: the account's times its plan's times the priority's. So an account with a thousand tasks
 * waits behind itself, and an absent one gains no credit.
 */
export async function enqueueTasks(
  db: Db,
  { accountId, tasks }: { accountId: string; tasks: readonly NewTask[] },
): Promise<readonly (EnqueuedTask | Error)[]> {
  return await inTransaction(db, async (tx) => {
    const jobs = await lockJobs(tx, { accountId, jobIds: tasks.map(({ jobId }) => jobId) })
    const account = await lockAccount(tx, accountId)
    const open = tasks.flatMap((task): QueuedTask[] => {
      const job = jobs.get(task.jobId)
      if (job === undefined || isFinal(job.state)) return []
      const isHeld = job.isHeld && !(job.sharesMedia && task.kind === sharedFetchKind)
      return [{ ...task, priority: job.priority, isHeld }]
    })
    const inserted = await insertTasks(tx, { accountId, account, tasks: open })
    const others = tasks.filter(({ jobId, name }) => !inserted.has(`${jobId} ${name}`))
    const known = await retoken(tx, { accountId, tasks: others })
    return tasks.map(({ jobId, name }) => {
      const taskId = inserted.get(`${jobId} ${name}`)
      if (taskId !== undefined) return { live: true, taskId }
      if (!jobs.has(jobId)) return new Error('A task must be of a job of its account.')
      const row = known.get(`${jobId} ${name}`)
      if (row === undefined) return { live: false, outcome: { state: 'cancelled' } }
      const outcome = outcomeOf(row)
      return outcome ? { live: false, outcome } : { live: true, taskId: row.id }
    })
  })
}

/** Locks the jobs, so that no task can slip in while a job is being cancelled. */
async function lockJobs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<ReadonlyMap<string, JobRow>> {
  const { rows } = await sql<JobRow>`
    ${prepared('lock-jobs')} select id, state, priority,
      held_at is not null as "isHeld", workflow_group is not null as "sharesMedia"
    from jobs
    where id = any(${jobIds}::uuid[]) and account_id = ${accountId}
    order by id for share`.execute(db)
  return new Map(rows.map((job) => [job.id, job]))
}

/**
 * Locks by a statement of its own, so that the next one sees the last task's tag. Accounts are
 * locked after jobs everywhere.
 */
async function lockAccount(db: Db, accountId: string): Promise<AccountRow> {
  const { rows } = await sql<AccountRow>`
    ${prepared('lock-account')} select pool, node_tags as tags from accounts
    where id = ${accountId} for no key update`.execute(db)
  const [account] = rows
  if (account === undefined) throw new Error('A task must be of an account.')
  return account
}

type QueuedTask = NewTask & { readonly priority: Priority; readonly isHeld: boolean }

/**
 * Inserts, tags and announces tasks in one statement; existing ones stay. The account must be
 * locked before it. A flow is one account's work of one priority: otherwise an urgent job would
 * wait behind all earlier work of its account.
 * @returns ids of those inserted, by `job name`
 */
async function insertTasks(
  db: Db,
  {
    accountId,
    account,
    tasks,
  }: { accountId: string; account: AccountRow; tasks: readonly QueuedTask[] },
): Promise<ReadonlyMap<string, string>> {
  if (tasks.length === 0) return new Map()
  const shapes = await shapesOf(db, { tasks, account })
  const jobIds = tasks.map(({ jobId }) => jobId)
  const { rows } = await sql<{ id: string; jobId: string; name: string }>`
    ${prepared('insert-tasks')} with wished as (
      select wished.*, a.weight * plan_share.weight * priority_weight.weight as weight
      from unnest(${jobIds}::uuid[], ${tasks.map(({ name }) => name)}::text[],
        ${tasks.map(({ kind }) => kind)}::text[], ${tasks.map(({ spec }) => jsonb(spec))}::text[],
        ${tasks.map(({ inputs }) => jsonb(inputs))}::text[],
        ${tasks.map(({ outputs }) => jsonb(outputs))}::text[], ${shapes}::bigint[],
        ${tasks.map((task) => JSON.stringify(mediaOf(task)))}::text[],
        ${tasks.map(({ cost }) => cost)}::float8[],
        ${tasks.map(({ framesTotal }) => framesTotal)}::integer[],
        ${tasks.map(({ token }) => token)}::bytea[],
        ${tasks.map(({ priority }) => priority)}::text[],
        ${tasks.map(({ isHeld }) => (isHeld ? 'held' : 'queued'))}::text[]) with ordinality
        as wished (job_id, name, kind, spec, inputs, outputs, shape_id, media, cost, frames,
          token, priority, state, place)
        join accounts a on a.id = ${accountId}
        join ${planShareRows()} on plan_share.plan = a.plan
        join ${priorityRows()} on priority_weight.priority = wished.priority
    ), fresh as materialized (
      select wished.*, coalesce(sum(cost / weight) over (
        partition by priority order by place rows between unbounded preceding and 1 preceding
      ), 0) as ahead
      from wished where not exists (
        select from tasks t where t.job_id = wished.job_id and t.name = wished.name
      )
    ), tagged as materialized (
      -- Each begins where the one before it in its flow ends.
      select fresh.*, greatest(c.virtual_time, f.virtual_finish) + ahead as virtual_start
      from fresh cross join farm_clock c
        left join flows f on f.account_id = ${accountId} and f.priority = fresh.priority
    ), inserted as (
      insert into tasks (job_id, account_id, name, kind, spec, inputs, outputs, requirements,
        shape_id, media, cost, frames_total, task_token, virtual_start, state)
      select t.job_id, ${accountId}, t.name, t.kind, t.spec::jsonb, t.inputs::jsonb,
        t.outputs::jsonb, s.requirements, s.id, array(select jsonb_array_elements_text(t.media::jsonb)),
        t.cost, t.frames, t.token, t.virtual_start, t.state
      from tagged t join task_shapes s on s.id = t.shape_id
      order by t.place
      on conflict (job_id, name) do nothing
      returning id, job_id, name, kind, requirements, state
    ), flow as (
      insert into flows (account_id, priority, virtual_finish)
      select ${accountId}, priority, max(virtual_start + cost / weight) from tagged
      group by priority
      on conflict (account_id, priority) do update set virtual_finish = excluded.virtual_finish
    ), told as (
      ${notifyQueuedTasks(sql`(select * from inserted where state = 'queued')`)}
    )
    select id, job_id as "jobId", name from inserted
      where (select count(*) from told) >= 0`.execute(db)
  return new Map(rows.map(({ id, jobId, name }) => [`${jobId} ${name}`, id]))
}

/**
 * Returns the shape of each task; most tasks share one. New shapes are created in one order: no
 * deadlocks.
 */
async function shapesOf(
  db: Db,
  { tasks, account }: { tasks: readonly NewTask[]; account: AccountRow },
): Promise<readonly number[]> {
  const requested = tasks.map(({ kind, requirements }) => {
    const needs = needsOf(requirements, account)
    return { kind, needs, key: `${kind} ${needs}` }
  })
  const distinct = new Map(requested.map((each) => [each.key, each]))
  const shapes = new Map<string, number>()
  for (const key of [...distinct.keys()].sort()) {
    const shape = distinct.get(key)
    if (shape) shapes.set(key, await shapeOf(db, shape))
  }
  return requested.map(({ key }) => shapes.get(key) ?? 0)
}

/** Adds the account's general requirements to a task's. */
function needsOf(requirements: TaskRequirements, { pool, tags }: AccountRow): string {
  return jsonb({
    ...requirements,
    ...(pool !== null && { pool }),
    ...(tags.length > 0 && { tags }),
  })
}

/** Finds or creates a shape; equal ones are one row. */
async function shapeOf(
  db: Db,
  { kind, needs }: { kind: TaskKind; needs: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    ${prepared('find-shape')} with known as (
      select id from task_shapes where kind = ${kind} and requirements = ${needs}::jsonb
    ), made as (
      insert into task_shapes (kind, requirements) select ${kind}, ${needs}::jsonb
      where not exists (select from known)
      on conflict (kind, requirements) do update set kind = excluded.kind returning id
    )
    select id from known union all select id from made`.execute(db)
  if (rows[0] === undefined) throw new Error('A shape must be there once it has been inserted.')
  return rows[0].id
}

/** Digests of content-addressed inputs, which nodes cache. */
function mediaOf({ inputs }: NewTask): string[] {
  const digests = inputs.map(({ name }) => name).filter((name) => /^[0-9a-f]{64}$/.test(name))
  return digests.slice(0, mediaMax)
}

/** Enough to recognize a node that has worked on the same film. */
const mediaMax = 16

/** Gives the new tokens to tasks that existed before, by `job name`. */
async function retoken(
  db: Db,
  { accountId, tasks }: { accountId: string; tasks: readonly NewTask[] },
): Promise<ReadonlyMap<string, EndedTask>> {
  if (tasks.length === 0) return new Map()
  const jobIds = tasks.map(({ jobId }) => jobId)
  const { rows } = await sql<EndedTask & { job_id: string; name: string }>`
    ${prepared('retoken-tasks')} with given as materialized (
      select * from unnest(${jobIds}::uuid[], ${tasks.map(({ name }) => name)}::text[],
        ${tasks.map(({ token }) => token)}::bytea[]) as given (job_id, name, token)
    ), locked as materialized (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select t.id, given.token from tasks t
        join given on given.job_id = t.job_id and given.name = t.name
      where t.job_id = any(${jobIds}::uuid[]) and t.account_id = ${accountId}
      order by t.id for update of t
    )
    update tasks set task_token = locked.token from locked where tasks.id = locked.id
    returning tasks.id, tasks.job_id, tasks.name, tasks.account_id, tasks.state,
      tasks.won_attempt, tasks.outputs, tasks.result, tasks.error`.execute(db)
  return new Map(rows.map((row) => [`${row.job_id} ${row.name}`, row]))
}
