import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { FilmFiles } from '../../../api/playback/film-files.ts'
import { FilmLooks } from '../../../api/playback/film-looks.ts'
import { needOf } from '../../../api/playback/film-needs.ts'
import { FilmTables } from '../../../api/playback/film-tables.ts'
import { PlayStates } from '../../../api/playback/play-states.ts'
import { claimSegments } from '../../../store/db/artifacts/claim-segments.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addNode, addTask, completeTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { film, renderPath, requestOf, startGateway } from '../gateway.ts'

const gateway = await startGateway()
const { db, objects } = gateway
test.after.always(() => gateway.stop())

const digestOf = (letter: string) => letter.repeat(64)

/** Films of two-second segments that are called by letters; equal letters are equal segments. */
function planOf(letters: string) {
  return {
    timeline: { width: 320, height: 180, frameRate: 30 },
    audio: [],
    encoder: { encoder: 'libx264' },
    segments: [...letters].map((letter, i) => ({
      ...{ start: i * 60, frames: 60, fingerprint: digestOf(letter) },
    })),
  }
}

type Customer = Awaited<ReturnType<typeof gateway.customer>>

/** Posts a film whose plan is written; it renders the segments that no other job has claimed. */
async function rendering({ accountId, post }: Customer, letters: string) {
  const request = { ...requestOf(film), jobId: randomUUID() }
  const { jobId } = (await post(renderPath, request)).json()
  const job = { accountId, jobId }
  await objects.put(planKey(job), Buffer.from(JSON.stringify(planOf(letters))))
  const fingerprints = [...letters].map(digestOf)
  const claimed = await claimSegments(db, { ...job, fingerprints })
  const awaited = fingerprints.filter((each) => !claimed.has(each))
  const frames = { total: letters.length * 60, reused: 0, painted: claimed.size * 60 }
  await enterStage(db, { ...job, stage: 'resolve' })
  await enterStage(db, { ...job, stage: 'plan', frames, format: 'mp4', awaited })
  for (const [index, letter] of [...letters].entries()) {
    const name = `segment-${index}`
    if (claimed.has(digestOf(letter))) await addTask(db, { ...job, name, outputs: [name] })
  }
  return job
}

type Rendering = Awaited<ReturnType<typeof rendering>>

const tables = new FilmTables({ db, objects, files: new FilmFiles(objects) })
const looksOf = () => new FilmLooks(db, tables)

async function wantedOf({ jobId }: Rendering): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from tasks where job_id = ${jobId} and wanted_until > now()
    order by name`.execute(db)
  return rows.map(({ name }) => name)
}

async function lease() {
  const nodeId = await addNode(db, { slots: 1 })
  const wants = [{ nodeId, slots: 1 }]
  const [task] = await leaseTasks(db, { wants, leaseMs: 15_000, nodeLiveMs: 30_000 })
  if (!task) throw new Error('There must be a task to lease')
  return { nodeId, taskId: task.id, attempt: task.attempt, name: task.outputs[0] }
}

test.serial('a player brings forward what another job of the account renders', async (t) => {
  const [customer, stranger] = [await gateway.customer(), await gateway.customer()]
  const foreign = await rendering(stranger, 'abc')
  const lender = await rendering(customer, 'xabc')
  const watched = await rendering(customer, 'ydc')
  t.is(watched.accountId, lender.accountId)
  const looks = looksOf()
  const need = needOf(digestOf('c'), ['segment-2'])
  const look = async () => (await looks.look(watched.jobId, [need])).keys
  t.deepEqual(await look(), [undefined])
  t.deepEqual(await wantedOf(lender), ['segment-3'])
  t.deepEqual(await wantedOf(watched), [])
  t.deepEqual(await wantedOf(foreign), [], 'never a job of another account')
  t.deepEqual(looks.lendersOf(watched.jobId), [lender.jobId])
  // The other account's film was posted first, and its turn is first.
  t.is((await lease()).name, 'segment-0')
  const { name, ...attempt } = await lease()
  t.is(name, 'segment-3')
  await completeTask(db, { ...attempt, result: {} })
  const [key] = await look()
  t.regex(String(key), new RegExp(`^accounts/${lender.accountId}/.*${attempt.taskId}.*segment-3$`))
  const states = new PlayStates(db, gateway.context.playback)
  const { pieces } = await states.read(watched.jobId)
  t.deepEqual(
    pieces.map(({ isThere }) => isThere),
    [false, false, true],
  )
})

test.serial('a film whose job has ended lends nothing more', async (t) => {
  const customer = await gateway.customer()
  const lender = await rendering(customer, 'ef')
  const watched = await rendering(customer, 'gf')
  const looks = looksOf()
  await sql`delete from segment_claims where job_id = ${lender.jobId}`.execute(db)
  const { keys } = await looks.look(watched.jobId, [needOf(digestOf('f'), ['segment-1'])])
  t.deepEqual(keys, [undefined])
  t.deepEqual(looks.lendersOf(watched.jobId), [])
  t.deepEqual(await wantedOf(lender), [])
})
