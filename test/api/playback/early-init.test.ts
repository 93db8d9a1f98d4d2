import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import { FilmFiles } from '../../../api/playback/film-files.ts'
import { FilmLooks } from '../../../api/playback/film-looks.ts'
import { FilmTables } from '../../../api/playback/film-tables.ts'
import { type PieceFile, PieceMaker } from '../../../api/playback/piece-maker.ts'
import { playableFilm } from '../../../api/playback/playable-film.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import { putArtifacts } from '../../../store/db/artifacts/put-artifacts.ts'
import { taskOutputKey } from '../../../store/objects/keys.ts'
import { addNode, addTask } from '../../store/database.ts'
import { film, renderPath, requestOf, startGateway } from '../gateway.ts'

/** A film that a player opens somewhere else than at its beginning. */

const gateway = await startGateway()
const { db, objects } = gateway
test.after.always(() => gateway.stop())

const files = new FilmFiles(objects)
const tables = new FilmTables({ db, objects, files })
const maker = new PieceMaker(files, new FilmLooks(db, tables))

/** Three pieces: of 60, 60 and 45 frames. */
const lengths = [60, 60, 45]
const digestOf = (index: number) => `${index}`.repeat(64)
const table = playableFilm({
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: lengths.map((frames, i) => ({ start: i * 60, frames, fingerprint: digestOf(i) })),
} as unknown as Plan)

async function segmentOf(index: number): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const path = join(folder, 'segment.mp4')
  const source = `${index === 0 ? 'testsrc' : 'mandelbrot'}=size=320x180:rate=30`
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', `${lengths[index]}`],
    ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-video_track_timescale', '30', path],
  ])
  const bytes = await readFile(path)
  await rm(folder, { recursive: true })
  return bytes
}

async function jobOf() {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf(film))).json()
  return { accountId: customer.accountId, jobId }
}

async function store(accountId: string, index: number): Promise<void> {
  const objectKey = `accounts/${accountId}/segment-${index}`
  await objects.put(objectKey, await segmentOf(index))
  const artifact = { kind: 'segment' as const, digest: digestOf(index), bytes: 1, facts: {} }
  await putArtifacts(db, { accountId, artifacts: [{ ...artifact, objectKey }] })
}

const init: PieceFile = { kind: 'init', track: 'pictures' }

test('pictures begin with whichever segment is stored, all alike', async (t) => {
  const [first, last] = [await jobOf(), await jobOf()]
  t.is(await maker.make(init, table, last.jobId), undefined)
  await store(first.accountId, 0)
  await store(last.accountId, 2)
  const made = await maker.make(init, table, last.jobId)
  t.truthy(made)
  t.deepEqual(made, await maker.make(init, table, first.jobId))
  const piece = (number: number): PieceFile => ({ kind: 'piece', track: 'pictures', number })
  t.truthy(await maker.make(piece(2), table, last.jobId))
  t.is(await maker.make(piece(0), table, last.jobId), undefined)
})

test('pictures begin with a segment that a running shard has written', async (t) => {
  const job = await jobOf()
  const outputs = ['segment-1', 'segment-2']
  const task = await addTask(db, { ...job, outputs })
  if (!task.live) throw new Error('The task must be new')
  const { taskId } = task
  const nodeId = await addNode(db)
  const written = ['segment-2']
  await db
    .updateTable('tasks')
    .set({ state: 'leased', attempt: 1 })
    .where('id', '=', taskId)
    .execute()
  await sql`
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class, pool,
      cost, written, expires_at)
    select id, 1, job_id, account_id, shape_id, ${nodeId}, '', '', cost, ${written},
      now() + interval '1 minute' from tasks where id = ${taskId}`.execute(db)
  const key = taskOutputKey({ accountId: job.accountId, taskId, attempt: 1, name: 'segment-2' })
  await objects.put(key, await segmentOf(2))
  t.truthy(await maker.make(init, table, job.jobId))
})
