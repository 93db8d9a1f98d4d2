import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { engineVersion } from '../../../core/engine.ts'
import { listOffers } from '../../../store/db/fleet/list-offers.ts'
import { noteScaledPool } from '../../../store/db/fleet/note-scaled-pool.ts'
import { readBacklog } from '../../../store/db/fleet/read-backlog.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import { addAccount, addNode } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { film } from '../films.ts'
import { startStages } from '../stages.ts'

const { db, stages, stop } = await startStages()
test.after.always(stop)
test.beforeEach(async () => {
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('nodes').execute()
  await noteScaledPool(db, 'gpu')
})

const gpu = {
  ...{ kinds: ['render', 'still', 'assemble'], slots: 4, encoders: ['libx264', 'h264_nvenc'] },
  ...{ canvas: 'skia', device: 'GPU A', pool: 'gpu' },
}

/** A node of the pool that has left, or is silent, since some minutes. */
async function addGone(minutes: number, state = 'leaving'): Promise<void> {
  const id = await addNode(db, gpu, { version: engineVersion })
  await sql`update nodes set state = ${state},
    last_seen_at = now() - make_interval(mins => ${minutes}::integer) where id = ${id}`.execute(db)
}

/** A film without media: its shards are queued at once. */
async function submit(): Promise<RenderJobInput> {
  const accountId = await addAccount(db)
  const jobId = randomUUID()
  const job = { id: jobId, accountId, type: 'video' as const, name: 'film', credits: 10 }
  await insertJobWithHold(db, { ...job, request: { payload: { ...film, visuals: [] } } })
  return { accountId, jobId }
}

async function requirementsOf(job: RenderJobInput) {
  await stages.prepareInputs(job)
  const [task] = await listTasksOfJob(db, job)
  return task?.requirements
}

const wanted = async (pool: string) =>
  (await readBacklog(db)).find((each) => each.pool === pool)?.wantedSlots ?? 0

test.serial('a pool at zero is planned for and woken', async (t) => {
  await addGone(10)
  t.is(await wanted('gpu'), 0)
  t.like(await requirementsOf(await submit()), {
    ...{ canvas: 'skia', device: 'GPU A', encoder: 'h264_nvenc', engine: engineVersion },
  })
  t.true((await wanted('gpu')) > 0)
})

test.serial('a node that takes work goes before a pool at zero', async (t) => {
  await addGone(10)
  const offer = { kinds: ['render', 'still', 'assemble'] }
  await addNode(db, offer, { version: engineVersion })
  t.like(await requirementsOf(await submit()), { canvas: 'napi', encoder: 'libx264' })
  t.is(await wanted('gpu'), 0)
})

test.serial('a pool never seen gets tasks for any processor', async (t) => {
  await addGone(61)
  t.like(await requirementsOf(await submit()), { canvas: 'napi', encoder: 'libx264' })
})

test.serial('offers of nodes that are gone are listed once', async (t) => {
  for (const state of ['leaving', 'active', 'cordoned']) await addGone(10, state)
  await addNode(db)
  await addNode(db)
  const known = await listOffers(db, { seenWithinMs: 30_000 })
  t.deepEqual(
    known.map(({ offer, isOnline }) => [offer.canvas, isOnline]),
    [
      ['napi', true],
      ['napi', true],
      ['skia', false],
    ],
  )
})
