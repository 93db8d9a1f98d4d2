import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createLog, type Log } from '../../runtime/log.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import { insertBulkWithHold } from '../../store/db/bulks/insert-bulk-with-hold.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { registerNode } from '../../store/db/fleet/register-node.ts'
import type { NodeOffer } from '../../store/db/fleet-schema.ts'
import { insertJobWithHold } from '../../store/db/jobs/insert-job-with-hold.ts'
import {
  type CompletedTask,
  type Completion,
  completeTasks,
} from '../../store/db/queue/complete-tasks.ts'
import {
  type EnqueuedTask,
  enqueueTasks,
  type NewTask,
} from '../../store/db/queue/enqueue-tasks.ts'
import type { AttemptStatus } from '../../store/db/queue/lock-attempt.ts'
import { copyDatabase, findCluster } from './cluster.ts'

export const silent: Log = createLog('test', 'silent')

/** A real, migrated database for one test file; stopping it leaves nothing behind. */
export async function startDatabase(): Promise<{ db: Db; url: string; stop(): Promise<void> }> {
  const cluster = await findCluster()
  const { url, drop } = await copyDatabase(cluster)
  const db = openDatabase({ url, log: silent, connections: 30 })
  return {
    db,
    url,
    async stop() {
      await db.destroy()
      await drop()
      await cluster.stop()
    },
  }
}

export async function addAccount(db: Db, credits = 1000): Promise<string> {
  const { id } = await createAccount(db, { name: 'Test', plan: 'free' })
  await grantCredits(db, { accountId: id, credits, note: 'for the test' })
  return id
}

export async function addJob(db: Db, accountId: string, credits = 10): Promise<string> {
  const id = randomUUID()
  const request = { payload: { name: 'film' } }
  await insertJobWithHold(db, { id, accountId, type: 'video', name: 'film', request, credits })
  return id
}

/** A bulk of image cards, one job for each id. */
export async function addBulk(
  db: Db,
  { accountId, ids, credits = 5 }: { accountId: string; ids: readonly string[]; credits?: number },
) {
  const id = `blk_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const base = { payload: { name: 'card' }, variables: { a: 1, b: 2 }, overrides: { width: 640 } }
  const jobs = ids.map((jobId, index) => ({
    ...{ id: jobId, index, type: 'image' as const, name: `${index}`, credits, warnings: [] },
    item: { variables: { b: index }, name: `${index}` },
  }))
  const bulk = { id, accountId, name: 'party', base, items: ids.length, refused: [], jobs }
  return { id, ...(await insertBulkWithHold(db, bulk)) }
}

/** Adds a plain render task of 100 frames; `given` overrides it. */
export async function addTask(
  db: Db,
  { accountId, ...given }: { accountId: string; jobId: string } & Partial<NewTask>,
): Promise<EnqueuedTask> {
  const task: NewTask = {
    name: randomUUID(),
    kind: 'render',
    spec: { segments: [0], assemble: false },
    inputs: [{ name: 'plan', key: 'accounts/a/plan' }],
    outputs: ['segment-0'],
    requirements: {},
    cost: 1,
    framesTotal: 100,
    token: randomBytes(16),
    ...given,
  }
  const [enqueued] = await enqueueTasks(db, { accountId, tasks: [task] })
  if (enqueued === undefined || enqueued instanceof Error) {
    throw enqueued ?? new Error('A task must have an answer.')
  }
  return enqueued
}

export async function addNode(
  db: Db,
  given: Partial<NodeOffer> = {},
  { version = 'test' }: { version?: string } = {},
): Promise<string> {
  const id = randomUUID()
  const offer: NodeOffer = {
    ...{ kinds: ['render'], slots: 8, encoders: ['libx264'], canvas: 'napi', device: 'CPU' },
    ...{ pool: '', tags: [], ...given },
  }
  await registerNode(db, { id, name: id, version, offer })
  return id
}

/** Completes one task. */
export async function completeTask(
  db: Db,
  completion: Completion,
): Promise<AttemptStatus<CompletedTask>> {
  const [standing] = await completeTasks(db, [completion])
  if (standing === undefined) throw new Error('A completion must have an answer.')
  return standing
}

/** Adds a task with an attempt that its node, which is gone, has lost; returns the task's id. */
export async function addLostAttempt(db: Db, task: Parameters<typeof addTask>[1]): Promise<string> {
  const enqueued = await addTask(db, task)
  if (!enqueued.live) throw new Error('The task must be new')
  const { taskId } = enqueued
  await sql`
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class, pool,
      cost, state, expires_at, ended_at)
    select id, 1, job_id, account_id, shape_id, gen_random_uuid(), '', '', cost, 'lost', now(), now()
    from tasks where id = ${taskId}`.execute(db)
  return taskId
}

/** Adds a task that a node works at; returns the task's id. */
export async function addRunningAttempt(
  db: Db,
  task: Parameters<typeof addTask>[1],
): Promise<string> {
  const enqueued = await addTask(db, task)
  if (!enqueued.live) throw new Error('The task must be new')
  const { taskId } = enqueued
  await sql`
    with leased as (
      update tasks set state = 'leased', attempt = 1 where id = ${taskId} returning *
    )
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class, pool,
      cost, expires_at)
    select id, 1, job_id, account_id, shape_id, gen_random_uuid(), '', '', cost,
      now() + interval '1 hour' from leased`.execute(db)
  return taskId
}
