import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { engineVersion } from '../../../core/engine.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import type { BakeDocument, TaskKind } from '../../../core/queue/tasks.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import { insertPreview } from '../../../store/db/previews/insert-preview.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import type { Next } from '../../../workflows/stages/next.ts'
import { addAccount } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { film, moving } from '../films.ts'
import { startPaperNode } from '../paper-node.ts'
import type { Order } from '../stage-of-engine.ts'
import { startStages } from '../stages.ts'

const run = promisify(execFile)
const script = new URL('../stage-of-engine.ts', import.meta.url).pathname
const hook = new URL('../../farm/other-engine.ts', import.meta.url).href
/** The release before this one. */
const before = '11'

const { db, url, folder, objects, stages, stop } = await startStages()
const kinds: TaskKind[] = ['ingest', 'bake', 'render', 'assemble', 'still', 'make', 'sheet']
const nodes = [
  await startPaperNode({ db, objects, kinds }),
  await startPaperNode({ db, objects, kinds, version: before }),
]

test.after.always(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
  await stop()
})

/** Runs a stage as the workflows of the release before would. */
async function earlier(stage: Order['stage'], job: RenderJobInput): Promise<Next> {
  const order: Order = { url, folder, stage, job }
  const env = { ...process.env, FARM_TEST_ENGINE: before, FARM_TEST_STAGE: JSON.stringify(order) }
  const { stdout } = await run(process.execPath, ['--import', hook, script], { env })
  return JSON.parse(stdout)
}

async function submit(accountId: string, payload: object): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const type = 'type' in payload ? ('image' as const) : ('video' as const)
  const job = { id: jobId, accountId, type, name: 'begun before', credits: 10 }
  await insertJobWithHold(db, { ...job, request: { payload } })
  return { accountId, jobId }
}

async function ended(job: RenderJobInput) {
  for (;;) {
    const tasks = await listTasksOfJob(db, job)
    if (tasks.every(({ outcome }) => outcome !== undefined)) return tasks
    await sleep(10)
  }
}

/** Goes on with a job, as its workflow does, until it has settled. */
async function goOn(job: RenderJobInput, first: Next) {
  let next = first
  for (;;) {
    const tasks = await ended(job)
    if (next.wait === 'nothing') return { tasks, job: await getJob(db, job) }
    if (next.resume === 'settle') {
      await stages.settle({ ...job, end: { to: 'completed' } })
      return { tasks, job: await getJob(db, job) }
    }
    next = await stages[next.resume](job)
  }
}

async function planOf(job: RenderJobInput): Promise<Plan> {
  return JSON.parse(String(await objects.read(planKey(job))))
}

type Tasks = Awaited<ReturnType<typeof ended>>

const enginesOf = (tasks: Tasks, kind: TaskKind) =>
  tasks.filter((task) => task.kind === kind).map(({ requirements }) => requirements.engine)

/** Shown by the account's earlier film. */
const known = moving('known', 4)
const visuals = [known, moving('new', 4)]
const sound = { src: 'https://example.com/fresh.mp3' }
const begunFilm = { ...film, visuals, audios: [sound] }

/** An account for which the release before has painted `known`, as part of some other job. */
async function accountOfBefore(): Promise<string> {
  const accountId = await addAccount(db)
  const job = await submit(accountId, { ...film, visuals: [known] })
  await earlier('prepareInputs', job)
  await ended(job)
  await earlier('render', job)
  await ended(job)
  return accountId
}

/** Storage keys that the account's bakes have, and those that they should have, by object. */
async function bakesOf(accountId: string, tasks: Tasks) {
  const rows = await db
    .selectFrom('artifacts')
    .select(['digest', 'object_key as key'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'bake')
    .execute()
  const filed = new Map(rows.map(({ digest, key }) => [key, digest]))
  const baked = tasks.filter(({ kind }) => kind === 'bake')
  return await Promise.all(
    baked.map(async ({ inputs, outcome, requirements: { engine } }) => {
      const documents: BakeDocument[] = JSON.parse(
        String(await objects.read(inputs.find(({ name }) => name === 'documents')?.key ?? '')),
      )
      const outputs = outcome?.state === 'completed' ? outcome.outputs : {}
      return documents.map((document, index) => ({
        filed: filed.get(outputs[`bake-${index}`] ?? ''),
        right: createHash('sha256').update(bakeKeyText(document, engine)).digest('hex'),
      }))
    }),
  )
}

test('a film without a plan yet moves to the new engine', async (t) => {
  const accountId = await accountOfBefore()
  const job = await submit(accountId, begunFilm)
  const next = await earlier('prepareInputs', job)
  t.deepEqual(enginesOf(await ended(job), 'bake'), [before], 'one element is known, one is new')
  const { tasks, job: done } = await goOn(job, next)
  t.is(done?.state, 'completed', JSON.stringify(done?.error))
  t.deepEqual(enginesOf(tasks, 'bake'), [before, engineVersion])
  t.true(enginesOf(tasks, 'render').every((engine) => engine === engineVersion))
  t.is((await planOf(job)).engine, engineVersion)
  const [ofBefore = [], ofThis = []] = await bakesOf(accountId, tasks)
  t.deepEqual([ofBefore.length, ofThis.length], [1, 2], 'the known element is painted anew')
  for (const { filed, right } of [...ofBefore, ...ofThis]) t.is(filed, right)
})

test('a film with a plan ends with the engine that began it', async (t) => {
  const accountId = await accountOfBefore()
  const job = await submit(accountId, begunFilm)
  await earlier('prepareInputs', job)
  await ended(job)
  await earlier('render', job)
  const plan = await planOf(job)
  t.is(plan.engine, before)
  const { tasks, job: done } = await goOn(job, await stages.render(job))
  t.is(done?.state, 'completed', JSON.stringify(done?.error))
  t.deepEqual(await planOf(job), plan)
  for (const { kind, requirements } of tasks) {
    if (kind !== 'ingest') t.is(requirements.engine, before, kind)
  }
  const equal = await submit(accountId, begunFilm)
  t.like(await earlier('prepareInputs', equal), { wait: 'nothing' }, 'its file is filed as its own')
  const ours = await stages.prepareInputs(await submit(accountId, begunFilm))
  t.like(ours, { wait: 'tasks' }, 'and never as that of the new engine')
})

test('a begun film finds pictures that this version would describe otherwise', async (t) => {
  const accountId = await accountOfBefore()
  const job = await submit(accountId, begunFilm)
  await earlier('prepareInputs', job)
  await ended(job)
  await earlier('render', job)
  await ended(job)
  await db
    .deleteFrom('artifacts')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'bake')
    .execute()
  const { tasks, job: done } = await goOn(job, await stages.render(job))
  t.is(done?.state, 'completed', JSON.stringify(done?.error))
  t.deepEqual(enginesOf(tasks, 'bake'), [before])
})

test('a still in one task ends as its engine made it', async (t) => {
  const accountId = await accountOfBefore()
  const still = { type: 'image', width: 320, height: 180, visuals }
  const job = await submit(accountId, still)
  const next = await earlier('prepareInputs', job)
  const { tasks, job: done } = await goOn(job, next)
  t.deepEqual(enginesOf(tasks, 'make'), [before])
  t.is(done?.state, 'completed', JSON.stringify(done?.error))
  t.like(await earlier('prepareInputs', await submit(accountId, still)), { wait: 'nothing' })
})

test('a begun preview keeps its plan', async (t) => {
  const accountId = await addAccount(db)
  const jobId = randomUUID()
  const job = { accountId, jobId }
  await insertPreview(
    db,
    {
      ...{ id: jobId, accountId, type: 'video', name: 'film', warnings: [] },
      request: { payload: { ...film, visuals } },
      templateId: undefined,
      preview: { fingerprint: '0'.repeat(64), maxBytes: 27_000 },
    },
    { atOnce: 10 },
  )
  await earlier('prepareInputs', job)
  await ended(job)
  await earlier('render', job)
  const { tasks, job: done } = await goOn(job, await stages.render(job))
  t.is(done?.state, 'completed', JSON.stringify(done?.error))
  t.deepEqual(enginesOf(tasks, 'sheet'), [before])
  t.is((await planOf(job)).engine, before)
})
