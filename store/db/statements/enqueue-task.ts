import { sql } from 'kysely'
import { isFinal } from '../../../core/jobs.ts'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import type { TaskInput, TaskOutcome, TaskRequirements } from '../schema.ts'
import { type EndedTask, outcomeOf } from './task-outcome.ts'

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
 * max(virtual time of the farm, finish tag of the account's last task), and the account's finish
 * tag moves on by cost / weight. So an account with a thousand tasks waits behind itself, and one
 * that was away gains no credit for it.
 */
export async function enqueueTask(db: Db, task: NewTask): Promise<EnqueuedTask> {
  return await db.transaction().execute(async (tx) => {
    // Locked, so that no task can slip in while the job is being cancelled.
    const job = await tx
      .selectFrom('jobs')
      .select('state')
      .where('id', '=', task.jobId)
      .where('account_id', '=', task.accountId)
      .forShare()
      .executeTakeFirstOrThrow()
    if (!isFinal(job.state)) await insertOnce(tx, task)
    const known = await retoken(tx, task)
    if (known === undefined) return { live: false, outcome: { state: 'cancelled' } }
    const outcome = outcomeOf(known)
    return outcome ? { live: false, outcome } : { live: true, taskId: known.id }
  })
}

/** One statement inserts, tags and announces; a task that is there already changes nothing. */
async function insertOnce(db: Db, task: NewTask): Promise<void> {
  await sql`
    with inserted as (
      insert into tasks (job_id, account_id, name, kind, spec, inputs, outputs, requirements,
        cost, frames_total, task_token, virtual_start)
      select ${task.jobId}, a.id, ${task.name}, ${task.kind}, ${jsonb(task.spec)}::jsonb,
        ${jsonb(task.inputs)}::jsonb, ${jsonb(task.outputs)}::jsonb,
        ${jsonb(task.requirements)}::jsonb, ${task.cost}, ${task.framesTotal}, ${task.token},
        greatest(c.virtual_time, a.virtual_finish)
      -- The account is locked first: its tasks are tagged one after the other.
      from (select id, virtual_finish from accounts where id = ${task.accountId} for update) a,
        farm_clock c
      on conflict (job_id, name) do nothing
      returning account_id, kind, virtual_start, cost
    ), tagged as (
      update accounts set virtual_finish = i.virtual_start + i.cost / accounts.weight
      from inserted i where accounts.id = i.account_id
    )
    select pg_notify('tasks', kind) from inserted`.execute(db)
}

async function retoken(db: Db, task: NewTask): Promise<EndedTask | undefined> {
  return await db
    .updateTable('tasks')
    .set({ task_token: task.token })
    .where('job_id', '=', task.jobId)
    .where('name', '=', task.name)
    .returning(['id', 'account_id', 'state', 'attempt', 'outputs', 'result', 'error'])
    .executeTakeFirst()
}
