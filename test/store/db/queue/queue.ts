import test from 'ava'
import { leaseTasks } from '../../../../store/db/queue/lease-tasks.ts'
import { addAccount, addJob, addTask, startDatabase } from '../../database.ts'

/** A failure as a node reports it. */
export const broken = { code: 'internal', message: 'It broke.', logTail: 'tail' } as const
export const leaseMs = 15_000
export const nodeLiveMs = 30_000

/**
 * An empty queue for the tests of one file. It belongs to the whole farm: `queueTest` runs one test
 * at a time, and clears it, the nodes and the limits after each.
 */
export async function startQueue() {
  const { db, url, stop } = await startDatabase()
  const queueTest = test.serial
  test.after.always(stop)
  queueTest.afterEach.always(async () => {
    await db.deleteFrom('tasks').execute()
    await db.deleteFrom('nodes').execute()
    await db.deleteFrom('pools').execute()
    await db.updateTable('farm_clock').set({ slots_max: null }).execute()
  })

  const lease = (nodeId: string, limit = 1, ms = leaseMs) =>
    leaseTasks(db, { wants: [{ nodeId, slots: limit }], leaseMs: ms, nodeLiveMs })

  async function newJob() {
    const accountId = await addAccount(db)
    return { accountId, jobId: await addJob(db, accountId) }
  }

  async function addTasks(job: Awaited<ReturnType<typeof newJob>>, count: number, cost = 1) {
    for (let i = 0; i < count; i++) await addTask(db, { ...job, cost })
  }

  async function leaseOne(nodeId: string) {
    const [task] = await lease(nodeId)
    if (task === undefined) throw new Error('There must be a task to lease.')
    return { nodeId, taskId: task.id, attempt: task.attempt }
  }

  return { db, url, queueTest, lease, leaseOne, newJob, addTasks }
}
