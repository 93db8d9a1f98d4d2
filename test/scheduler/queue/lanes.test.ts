import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import type { Offer } from '../../../proto/gen/farm/v1/node.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { serve } from '../../../scheduler/serve.ts'
import { enqueueTasks } from '../../../store/db/queue/enqueue-tasks.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'
import { addAccount, addJob, silent, startDatabase } from '../../store/database.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)
// Shards wait for idle nodes a second longer, so that a busy machine changes no outcome.
test.before(async () => {
  await sql`alter table tasks alter created_at set default now() + interval '1 second'`.execute(db)
})

// The queue is the farm's, not a test's: one test at a time looks into it.
const queueTest = test.serial
queueTest.afterEach.always(async () => {
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('nodes').execute()
})

async function startScheduler(t: ExecutionContext) {
  const config = readConfig({
    DATABASE_URL: url,
    FARM_SCHEDULER_PORT: '0',
    FARM_OBJECTS: 'file:/tmp',
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  })
  const { context, close } = openContext(config, silent)
  const served = await serve(context, config)
  t.teardown(async () => {
    await served.stop()
    await close()
  })
  return { address: `127.0.0.1:${served.port}`, bell: context.waiters }
}
type Scheduler = Awaited<ReturnType<typeof startScheduler>>

/** A node that asks for all its slots; `poll` resolves with how many shards came. */
async function startNode(
  t: ExecutionContext,
  { scheduler, lanes, slots = 4 }: { scheduler: Scheduler; lanes: number; slots?: number },
) {
  const client = connectScheduler({ address: scheduler.address, token: undefined, tls: undefined })
  t.teardown(client.close)
  const offer: Offer = {
    ...{ kinds: ['render', 'still'], slots, encoders: ['libx264'], canvas: 'napi', device: 'CPU' },
    ...{ pool: '', tags: [], memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes },
  }
  const nodeId = randomUUID()
  await client.register({ nodeId, name: 'node', version: '1', offer })
  const ask = async (free: number) => {
    const request = { nodeId, slots: free, waitMs: 10_000 }
    return (await client.lease(request, new AbortController().signal)).tasks.length
  }
  return {
    ask,
    /** Waits for work as its scheduler's next one. */
    async poll() {
      const before = scheduler.bell.waiting
      const shards = ask(slots)
      while (scheduler.bell.waiting === before) await sleep(5)
      // The look that comes before the wait.
      await sleep(100)
      return { shards }
    },
  }
}

async function addFilm({ shards, kind = 'render' }: { shards: number; kind?: 'render' | 'still' }) {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const tasks = Array.from({ length: shards }, (_, index) => ({
    ...{ jobId, name: `${kind}-${index}`, kind, spec: { segments: [index], assemble: false } },
    ...{ inputs: [], outputs: ['segment-0'], requirements: {}, cost: 1, framesTotal: 100 },
    token: randomBytes(16),
  }))
  await enqueueTasks(db, { accountId, tasks })
}

queueTest('shards are spread over two nodes by their lanes, whichever asked first', async (t) => {
  const scheduler = await startScheduler(t)
  const narrow = await (await startNode(t, { scheduler, lanes: 1 })).poll()
  const wide = await (await startNode(t, { scheduler, lanes: 2 })).poll()
  await addFilm({ shards: 3 })
  t.deepEqual([await narrow.shards, await wide.shards], [1, 2])
})

queueTest('shards are spread over the nodes of two schedulers', async (t) => {
  const [first, second] = [await startScheduler(t), await startScheduler(t)]
  const narrow = await (await startNode(t, { scheduler: first, lanes: 1 })).poll()
  const wide = await (await startNode(t, { scheduler: second, lanes: 2 })).poll()
  await addFilm({ shards: 3 })
  t.deepEqual([await narrow.shards, await wide.shards], [1, 2])
})

queueTest('a node alone gets all shards, beyond its lanes', async (t) => {
  const scheduler = await startScheduler(t)
  const alone = await (await startNode(t, { scheduler, lanes: 1 })).poll()
  await addFilm({ shards: 3 })
  t.is(await alone.shards, 3)
})

queueTest('shards wait for an idle node that never asks only for a moment', async (t) => {
  const scheduler = await startScheduler(t)
  await startNode(t, { scheduler, lanes: 8 })
  const node = await startNode(t, { scheduler, lanes: 1 })
  const first = await node.poll()
  await addFilm({ shards: 3 })
  const began = performance.now()
  const leased = await first.shards
  t.true(leased < 3, 'some are left for the idle node')
  t.is(leased + (await node.ask(4 - leased)), 3)
  t.true(performance.now() - began < 4_000, 'sooner than idle nodes look by themselves')
})

queueTest('stills wait for no idle node', async (t) => {
  const scheduler = await startScheduler(t)
  await startNode(t, { scheduler, lanes: 8 })
  const node = await (await startNode(t, { scheduler, lanes: 1 })).poll()
  await addFilm({ shards: 3, kind: 'still' })
  t.is(await node.shards, 3)
})

queueTest('a node that does not tell its lanes takes what it asks for', async (t) => {
  const scheduler = await startScheduler(t)
  const old = await (await startNode(t, { scheduler, lanes: 0 })).poll()
  const oldToo = await startNode(t, { scheduler, lanes: 0 })
  await addFilm({ shards: 5 })
  t.is(await old.shards, 4)
  t.is(await oldToo.ask(4), 1)
})

queueTest('a node whose lanes work leaves new shards to an idle one', async (t) => {
  const scheduler = await startScheduler(t)
  const busy = await startNode(t, { scheduler, lanes: 2 })
  const began = await busy.poll()
  await addFilm({ shards: 2 })
  t.is(await began.shards, 2)
  const asks = await busy.poll()
  const idle = await (await startNode(t, { scheduler, lanes: 2 })).poll()
  await addFilm({ shards: 1 })
  t.is(await idle.shards, 1)
  await addFilm({ shards: 3 })
  t.is(await asks.shards, 2)
})
