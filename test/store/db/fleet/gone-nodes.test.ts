import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { forgetNodes } from '../../../../store/db/fleet/forget-nodes.ts'
import { listActs } from '../../../../store/db/fleet/list-acts.ts'
import { listNodes } from '../../../../store/db/fleet/list-nodes.ts'
import { moveNode } from '../../../../store/db/fleet/move-node.ts'
import { recordAct } from '../../../../store/db/fleet/record-act.ts'
import { registerNode } from '../../../../store/db/fleet/register-node.ts'
import { seeNodes } from '../../../../store/db/fleet/see-nodes.ts'
import { leaseTasks } from '../../../../store/db/queue/lease-tasks.ts'
import { listAttempts } from '../../../../store/db/queue/list-attempts.ts'
import { openObjectStore } from '../../../../store/objects/open.ts'
import { removeExpired } from '../../../../workflows/janitor/retention.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  completeTask,
  startDatabase,
} from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
test.serial.afterEach.always(async () => {
  await db.deleteFrom('nodes').execute()
})

const dayMs = 86_400_000

async function silentFor(id: string, days: number): Promise<void> {
  const last_seen_at = new Date(Date.now() - days * dayMs)
  await db.updateTable('nodes').set({ last_seen_at }).where('id', '=', id).execute()
}

async function idsLeft(): Promise<string[]> {
  return (await db.selectFrom('nodes').select('id').execute()).map(({ id }) => id).sort()
}

test.serial('nodes silent for a day are forgotten, with or without a farewell', async (t) => {
  const [left, lost, quiet, speaking] = [
    await addNode(db),
    await addNode(db),
    await addNode(db),
    await addNode(db),
  ]
  await moveNode(db, { nodeId: left, act: 'leave', reason: 'its process is being stopped' })
  for (const id of [left, lost]) await silentFor(id, 1.01)
  await silentFor(quiet, 0.99)
  t.is(await forgetNodes(db, { limit: 1 }), 1)
  t.is(await forgetNodes(db, { limit: 10 }), 1)
  t.is(await forgetNodes(db, { limit: 10 }), 0)
  t.deepEqual(await idsLeft(), [quiet, speaking].sort())
  t.deepEqual(await seeNodes(db, [{ nodeId: lost }]), [undefined], 'it is told to register')
})

test.serial('a node that was decided about is kept for 30 days', async (t) => {
  const ids = [await addNode(db), await addNode(db), await addNode(db)]
  for (const [at, act] of (['cordon', 'drain', 'quarantine'] as const).entries()) {
    const nodeId = ids[at] ?? ''
    await moveNode(db, { nodeId, act, reason: 'for the test' })
    await silentFor(nodeId, 29)
  }
  t.is(await forgetNodes(db, { limit: 10 }), 0)
  for (const id of ids) await silentFor(id, 31)
  t.is(await forgetNodes(db, { limit: 10 }), 3)
})

test.serial('a node with work in hand is kept', async (t) => {
  const accountId = await addAccount(db)
  await addTask(db, { accountId, jobId: await addJob(db, accountId) })
  const nodeId = await addNode(db)
  const [lease] = await leaseTasks(db, { wants: [{ nodeId, slots: 1 }], leaseMs: 1, nodeLiveMs: 1 })
  await silentFor(nodeId, 100)
  t.is(await forgetNodes(db, { limit: 10 }), 0)
  const { id: taskId = '', attempt = 0 } = lease ?? {}
  await completeTask(db, { nodeId, taskId, attempt, result: {} })
  t.is(await forgetNodes(db, { limit: 10 }), 1)
})

test.serial('attempts and the audit still know a forgotten node by its name', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  await addTask(db, { accountId, jobId })
  const nodeId = await addNode(db)
  const { offer, version } = await db
    .selectFrom('nodes')
    .selectAll()
    .where('id', '=', nodeId)
    .executeTakeFirstOrThrow()
  await registerNode(db, { id: nodeId, name: 'pod-7', version, offer })
  const [lease] = await leaseTasks(db, {
    wants: [{ nodeId, slots: 1 }],
    leaseMs: 1,
    nodeLiveMs: 30_000,
  })
  const { id: taskId = '', attempt = 0 } = lease ?? {}
  await completeTask(db, { nodeId, taskId, attempt, result: {} })
  await recordAct(db, { actor: 'ada', act: 'nodes drain', subject: nodeId, why: 'it hums' })
  await silentFor(nodeId, 2)
  t.is(await forgetNodes(db, { limit: 10 }), 1)

  t.like(await listAttempts(db, { of: 'job', id: jobId, limit: 1 }), [{ node: 'pod-7' }])
  t.like(await listActs(db, { subject: 'pod-7', limit: 9 }), [{ why: 'it hums' }])
  t.like(await listActs(db, { subject: nodeId, limit: 9 }), [{ why: 'it hums' }])
})

test.serial(
  'the role workflows forgets them with whatever else was kept long enough',
  async (t) => {
    await silentFor(await addNode(db), 2)
    const dir = mkdtempSync(join(tmpdir(), 'farm-test-'))
    t.teardown(() => rmSync(dir, { recursive: true, force: true }))
    const settings = { publicUrl: 'http://127.0.0.1:1', secret: 'a secret of the tests' }
    const objects = openObjectStore(new URL(`file:${dir}`), settings)
    t.false(await removeExpired({ db, objects }))
    t.deepEqual(await idsLeft(), [])
  },
)

test.serial('a node’s latest usage is kept until it tells another', async (t) => {
  const [nodeId, silentId] = [await addNode(db), await addNode(db)]
  const usage = { cpu: 0.5, memoryUsedMb: 1, memoryMb: 2, diskUsedMb: 3, diskMb: 4 }
  const usageOf = async (node: string) =>
    (await listNodes(db, { seenWithinMs: 0, node })).map((each) => each.usage)
  t.deepEqual(await usageOf(nodeId), [null])
  const later = { ...usage, cpu: 1 }
  await seeNodes(db, [
    { nodeId, usage },
    { nodeId, usage: later },
    { nodeId },
    { nodeId: silentId },
  ])
  t.deepEqual(await usageOf(nodeId), [later])
  await seeNodes(db, [{ nodeId, pause: 'full' }])
  t.deepEqual(await usageOf(nodeId), [later])
  t.deepEqual(await usageOf(silentId), [null])
})
