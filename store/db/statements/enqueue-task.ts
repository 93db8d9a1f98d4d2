import { sql } from 'kysely'
import { isFinal } from '../../../core/jobs.ts'
import type { Priority } from '../../../core/shares.ts'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import { planShareRows, priorityRows } from './plan-shares.ts'
import { type EndedTask, outcomeOf } from './task-outcome.ts'
import { tellOfTasks } from './tell-of-tasks.ts'

export type NewTask = {
  readonly accountId: string
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
  readonly priority: Priority
  readonly pool: string | null
  readonly tags: readonly string[]
}

/** A live task sends a word to its token when it ends; an ended one has its outcome here. */
export type EnqueuedTask =
  | { readonly live: true; readonly taskId: string }
  | { readonly live: false; readonly outcome: TaskOutcome }

/**
 * Puts a task in the queue, once for each (job, name). Again with another token: a live task
 * answers to the new token, an ended one gives its outcome at once. A job that has ended gets no
 * more tasks.
 *
 * Fairness is start-time fair queueing (Goyal, Vin, Cheng 1996): the task's start tag is
 * max(virtual time of the farm, finish tag of the flow's last task), and the flow's finish tag moves
 * on by cost / weight, the weight being the account's times its plan's times the priority's. So an
 * account with a thousand tasks waits behind itself, and one that was away gains no credit for it.
 */
export async function enqueueTask(db: Db, task: NewTask): Promise<EnqueuedTask> {
  return await db.transaction().execute(async (tx) => {
    // The job is locked so that no task can slip in while it is being cancelled; the account, by a
    // statement of its own, so that the next one sees the tag of the task before.
    const job = await tx
      .selectFrom('jobs')
      .innerJoin('accounts', 'accounts.id', 'jobs.account_id')
      .select(['state', 'priority', 'pool', 'node_tags as tags'])
      .where('jobs.id', '=', task.jobId)
      .where('account_id', '=', task.accountId)
      .forShare('jobs')
      .forNoKeyUpdate('accounts')
      .modifyEnd(prepared('lock-job'))
      .executeTakeFirstOrThrow()
    if (!isFinal(job.state)) await insertOnce(tx, { ...task, job })
    const known = await retoken(tx, task)
    if (known === undefined) return { live: false, outcome: { state: 'cancelled' } }
    const outcome = outcomeOf(known)
    return outcome ? { live: false, outcome } : { live: true, taskId: known.id }
  })
}

/**
 * One statement inserts, tags and announces; a task that is there already changes nothing. The
 * account must be locked before it. Flows are of an account and a priority: were they of accounts alone, a job that is made urgent would wait
 * behind all that its account queued before.
 */
async function insertOnce(db: Db, { job, ...task }: NewTask & { job: JobRow }): Promise<void> {
  const shapeId = await shapeOf(db, task, job)
  await sql`
    ${prepared('insert-task')} with account as (
      select a.id, a.weight * plan_share.weight * priority_weight.weight as weight
      from accounts a
        join ${planShareRows()} on plan_share.plan = a.plan
        join ${priorityRows()} on priority_weight.priority = ${job.priority}
      where a.id = ${task.accountId}
    ), inserted as (
      insert into tasks (job_id, account_id, name, kind, spec, inputs, outputs, requirements,
        shape_id, media, cost, frames_total, task_token, virtual_start)
      select ${task.jobId}, a.id, ${task.name}, ${task.kind}, ${jsonb(task.spec)}::jsonb,
        ${jsonb(task.inputs)}::jsonb, ${jsonb(task.outputs)}::jsonb, s.requirements, s.id,
        ${mediaOf(task)}, ${task.cost}, ${task.framesTotal}, ${task.token},
        greatest(c.virtual_time, f.virtual_finish)
      from account a cross join farm_clock c
        join task_shapes s on s.id = ${shapeId}
        left join flows f on f.account_id = a.id and f.priority = ${job.priority}
      on conflict (job_id, name) do nothing
      returning account_id, kind, requirements, virtual_start, cost
    ), tagged as (
      insert into flows (account_id, priority, virtual_finish)
      select i.account_id, ${job.priority}, i.virtual_start + i.cost / a.weight
      from inserted i join account a on a.id = i.account_id
      on conflict (account_id, priority) do update set virtual_finish = excluded.virtual_finish
    )
    ${tellOfTasks(sql`inserted`)}`.execute(db)
}

/** Requirements with what the account's work needs anywhere; equal ones are one row. */
async function shapeOf(
  db: Db,
  { kind, requirements }: NewTask,
  { pool, tags }: JobRow,
): Promise<number> {
  const all = { ...requirements, ...(pool !== null && { pool }), ...(tags.length > 0 && { tags }) }
  const needs = jsonb(all)
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

/** Objects of the store that are named by what is in them, which nodes keep. */
function mediaOf({ inputs }: NewTask): string[] {
  const digests = inputs.map(({ name }) => name).filter((name) => /^[0-9a-f]{64}$/.test(name))
  return digests.slice(0, mediaMax)
}

/** Enough to know a node that has been at the same film. */
const mediaMax = 16

async function retoken(db: Db, task: NewTask): Promise<EndedTask | undefined> {
  return await db
    .updateTable('tasks')
    .set({ task_token: task.token })
    .where('job_id', '=', task.jobId)
    .where('name', '=', task.name)
    .returning(['id', 'account_id', 'state', 'won_attempt', 'outputs', 'result', 'error'])
    .modifyEnd(prepared('retoken-task'))
    .executeTakeFirst()
}
