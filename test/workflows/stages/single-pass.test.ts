import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import { draftKey } from '../../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import type { Next } from '../../../workflows/stages/next.ts'
import { addAccount, addTask } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { words } from '../films.ts'
import { type Answer, startPaperNode } from '../paper-node.ts'
import { startStages, tasksOf } from '../stages.ts'

const { db, objects, stages, stop } = await startStages()
const everything: TaskKind[] = ['ingest', 'bake', 'render', 'assemble', 'still', 'make']

let answer: Answer = () => 'answer'
const node = await startPaperNode({
  ...{ db, objects, kinds: everything },
  answer: (task) => answer(task),
})

test.after.always(async () => {
  await node.stop()
  await stop()
})

const still = { type: 'image', width: 320, height: 180 }
const film = { width: 320, height: 180, duration: 2, frameRate: 10 }

async function submit(
  accountId: string,
  payload: Record<string, unknown>,
): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const type = payload.type === 'image' ? ('image' as const) : ('video' as const)
  const job = { id: jobId, accountId, type, name: 'small', credits: 10 }
  await insertJobWithHold(db, { ...job, request: { payload } })
  return { accountId, jobId }
}

async function tasksWhenEnded(job: RenderJobInput) {
  for (;;) {
    const tasks = await listTasksOfJob(db, job)
    if (tasks.every(({ outcome }) => outcome !== undefined)) return tasks
    await sleep(10)
  }
}

async function renderWhole(job: RenderJobInput) {
  const next = await stages.prepareInputs(job)
  const tasks = await tasksWhenEnded(job)
  if (next.wait === 'tasks' && next.resume === 'render') await stages.render(job)
  await tasksWhenEnded(job)
  await stages.settle({ ...job, end: { to: 'completed' } })
  return { tasks, ended: await getJob(db, job) }
}

test.serial('a still that lacks only its words is a single task', async (t) => {
  const accountId = await addAccount(db)
  const visuals = [{ ...words('<b>One task</b>'), style: { quirk: '1px' } }]
  const { tasks, ended } = await renderWhole(await submit(accountId, { ...still, visuals }))
  t.deepEqual(
    tasks.map(({ kind }) => kind),
    ['make'],
  )
  t.like(ended, { state: 'completed', creditsCharged: 1 })
  t.deepEqual(ended?.result, {
    ...{ duration: 0, size: 'a still'.length, width: 320, height: 180, format: 'png' },
  })
  t.deepEqual(Object.keys(ended?.stages ?? {}).toSorted(), ['render', 'resolve', 'settle'])
  t.true(ended?.warnings.some(({ code }) => code === 'style_ignored'))
  t.truthy(await objects.stat(ended?.outputKey ?? 'none'))
})

test.serial('a small film is one task and counts its painted frames', async (t) => {
  const accountId = await addAccount(db)
  const payload = { ...film, visuals: [words('A small film')] }
  const { tasks, ended } = await renderWhole(await submit(accountId, payload))
  t.deepEqual(
    tasks.map(({ name }) => name),
    ['make'],
  )
  t.is(ended?.state, 'completed')
  t.like(ended?.frames, { total: 20, reused: 0, painted: 1 })
})

test.serial('a single-pass job’s results serve the next equal job', async (t) => {
  const accountId = await addAccount(db)
  for (const payload of [still, film]) {
    const visuals = [words('the same again')]
    await renderWhole(await submit(accountId, { ...payload, visuals }))
    const job = await submit(accountId, { ...payload, visuals })
    const next = await stages.prepareInputs(job)
    t.deepEqual(next, { wait: 'nothing', settled: { endsBulk: false } })
    t.deepEqual(await listTasksOfJob(db, job), [])
  }
})

test.serial('films with sound, longer and larger ones are cut and shared', async (t) => {
  const accountId = await addAccount(db)
  const visuals = [words('not small')]
  for (const payload of [
    { ...film, duration: 6 },
    { ...film, width: 1920, height: 1080 },
    { ...film, audios: [{ src: 'https://example.com/a.mp3' }] },
    { ...film, visuals: [...visuals, { type: 'IMAGE', src: 'https://example.com/photo.png' }] },
  ]) {
    const job = await submit(accountId, { visuals, ...payload })
    await stages.prepareInputs(job)
    const kinds = (await tasksWhenEnded(job)).map(({ kind }) => kind)
    t.false(kinds.includes('make'), JSON.stringify(payload))
  }
})

test.serial('a bulk’s job fetches its media first, then is one task', async (t) => {
  const photo = { type: 'IMAGE', src: 'https://example.com/of-a-bulk.png' }
  const begin = async (bulk: { bulkId?: string }) => {
    const accountId = await addAccount(db)
    const job = await submit(accountId, { ...still, visuals: [photo, words('on a photo')] })
    const next = await stages.prepareInputs({ ...job, ...bulk })
    return { job, next, kinds: (await tasksWhenEnded(job)).map(({ kind }) => kind) }
  }
  const alone = await begin({})
  t.like(alone.next, { resume: 'render' })
  t.deepEqual(alone.kinds.toSorted(), ['bake', 'ingest'])
  const bulk = { bulkId: randomUUID() }
  const { job, next: first, kinds } = await begin(bulk)
  t.like(first, { resume: 'prepareInputs' })
  t.deepEqual(kinds, ['ingest'])
  // Called twice, because a step may be repeated.
  t.like(await stages.prepareInputs({ ...job, ...bulk }), { resume: 'settle' })
  t.like(await stages.prepareInputs({ ...job, ...bulk }), { resume: 'settle' })
  const tasks = await tasksWhenEnded(job)
  t.deepEqual(tasks.map(({ kind }) => kind).toSorted(), ['ingest', 'make'])
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
  // Its medium is known: the account's next job only revalidates it.
  const next = await submit(job.accountId, { ...still, visuals: [photo, words('another')] })
  await stages.prepareInputs({ ...next, ...bulk })
  const [asked] = await tasksWhenEnded(next)
  t.regex(JSON.stringify(asked?.spec), /"known":{"digest":"/)
})

test.serial('media that another job of the group fetches are awaited once', async (t) => {
  const accountId = await addAccount(db)
  const group = randomUUID()
  const [x, y, z] = ['x', 'y', 'z'].map((name) => photoAt(`shared ${name}`))
  const begin = async (...visuals: unknown[]) => {
    const job = await submit(accountId, { ...still, visuals: [...visuals, words('on it')] })
    const joined = { workflow_group: group } as never
    await db.updateTable('jobs').set(joined).where('id', '=', job.jobId).execute()
    return { ...job, bulkId: 'a bulk', group }
  }
  const urlsOf = async (job: RenderJobInput) =>
    (await listTasksOfJob(db, job)).map(({ spec }) => String(spec.url).slice(-5, -4)).sort()
  const first = await begin(x, y)
  const second = await begin(y, z)
  const third = await begin(y, x)
  // All at once. A job that lacks other media too does not wait for media that it does not need.
  const prepared = await Promise.all([first, second, third].map((job) => stages.prepareInputs(job)))
  t.deepEqual(prepared.map(mediaOf), [undefined, undefined, first.jobId])
  t.deepEqual(await Promise.all([first, second, third].map(urlsOf)), [['x', 'y'], ['y', 'z'], []])
  const later = await begin(z, y)
  t.is(mediaOf(await stages.prepareInputs(later)), second.jobId)
  // A job that has waited in vain fetches by itself; a repeated step does the same again.
  for (const job of [later, { ...later, hasWaited: true }, later]) await stages.prepareInputs(job)
  t.deepEqual(await urlsOf(later), ['y', 'z'])
  // No job waits for another group.
  const ofAnother = { ...(await begin(y)), group: randomUUID() }
  t.is(mediaOf(await stages.prepareInputs(ofAnother)), undefined)
})

/** The job of the group whose media are awaited. */
function mediaOf(next: Next): string | undefined {
  return next.wait === 'media-of' ? next.jobId : undefined
}

const logoAt = (name: string) => `https://example.com/${name}.png`
const pictured = (name: string) => words(`<img src="${logoAt(name)}"> ${name}`)
const kindsOf = (tasks: readonly { kind: string }[]) => tasks.map(({ kind }) => kind).toSorted()

test.serial('a small job with html pictures is one task once they arrive', async (t) => {
  const accountId = await addAccount(db)
  const job = await submit(accountId, { ...still, visuals: [pictured('logo'), words('plain')] })
  const first = await stages.prepareInputs(job)
  t.like(first, { resume: 'prepareInputs' })
  t.deepEqual(kindsOf(await tasksWhenEnded(job)), ['ingest'])
  t.like(await stages.prepareInputs({ ...job, hasWaited: true }), { resume: 'settle' })
  const tasks = await tasksWhenEnded(job)
  t.deepEqual(kindsOf(tasks), ['ingest', 'make'])
  const made = tasks.find(({ kind }) => kind === 'make')
  const draft = JSON.parse(String(made?.spec.draft))
  const digest = createHash('sha256').update(logoAt('logo')).digest('hex')
  t.deepEqual(draft.documents[0].pictures, [{ digest, width: 40, height: 20 }])
  t.true(draft.documents[0].markup.includes(`src="farm-picture:${digest}"`))
  t.true(made?.inputs.some(({ name }) => name === digest))
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')

  // Painted: for another job of the account nothing is left but to ask whether the picture is the same.
  const next = await submit(accountId, { ...still, visuals: [pictured('logo'), words('plain')] })
  await stages.prepareInputs(next)
  t.deepEqual(kindsOf(await tasksWhenEnded(next)), ['ingest'])
  t.like(await stages.prepareInputs({ ...next, hasWaited: true }), { wait: 'nothing' })
})

test.serial('elements with pictures by URL are painted with them, after the others', async (t) => {
  const accountId = await addAccount(db)
  const visuals = [pictured('seal'), pictured('stamp'), words('beside a seal')]
  const job = await submit(accountId, { ...film, duration: 6, visuals })
  const first = await stages.prepareInputs(job)
  t.like(first, { resume: 'bakeCaptions' })
  const before = await tasksWhenEnded(job)
  t.deepEqual(kindsOf(before), ['bake', 'ingest', 'ingest'])
  await stages.bakeCaptions(job)
  const tasks = await tasksWhenEnded(job)
  t.deepEqual(kindsOf(tasks), ['bake', 'bake', 'ingest', 'ingest'])
  const late = tasks.filter(({ kind, name }) => {
    return kind === 'bake' && !before.some((task) => task.name === name)
  })
  const digests = ['seal', 'stamp'].map((name) =>
    createHash('sha256').update(logoAt(name)).digest('hex'),
  )
  t.deepEqual(
    late[0]?.inputs.map(({ name }) => name),
    ['documents', ...digests],
  )

  // A repeated step finds the pictures, and asks for no other tasks.
  await stages.prepareInputs(job)
  t.is((await tasksWhenEnded(job)).length, tasks.length)
  await stages.render(job)
  await tasksWhenEnded(job)
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
})

test.serial('fresh pictures that an earlier job fetched are waited for by nobody', async (t) => {
  const accountId = await addAccount(db)
  const fetched = await submit(accountId, { ...still, visuals: [pictured('fresh-logo')] })
  await stages.prepareInputs(fetched)
  await tasksWhenEnded(fetched)
  await renderWhole(fetched)
  const job = await submit(accountId, {
    ...still,
    visuals: [pictured('fresh-logo'), words('new')],
  })
  t.like(await stages.prepareInputs(job), { resume: 'settle' })
  t.deepEqual(kindsOf(await tasksWhenEnded(job)), ['make'])
})

test.serial('a missing picture in html fails the job as an IMAGE’s does', async (t) => {
  const accountId = await addAccount(db)
  answer = ({ kind }) => (kind === 'ingest' ? { error: 'no such picture' } : 'answer')
  try {
    const job = await submit(accountId, { ...still, visuals: [pictured('gone')] })
    await stages.prepareInputs(job)
    const [task] = await tasksWhenEnded(job)
    t.like(task?.spec, { url: logoAt('gone'), field: 'visuals[0].html', isInHtml: true })
    t.is(task?.outcome?.state, 'failed')
  } finally {
    answer = () => 'answer'
  }
})

const photoAt = (src: string) => ({
  type: 'IMAGE',
  src: `https://example.com/${encodeURIComponent(src)}.png`,
})

/** Leaves a step that died after it queued the first of its tasks. */
async function cutOff(job: RenderJobInput, photo: { src: string }) {
  const spec = { url: photo.src, field: 'visuals[0].src', expect: 'image' }
  await addTask(db, { ...job, name: 'ingest-0', kind: 'ingest', spec, outputs: ['media'] })
  await tasksWhenEnded(job)
}

for (const [how, bulk] of Object.entries({ alone: {}, 'of a bulk': { bulkId: randomUUID() } })) {
  test.serial(`a job ${how} whose first step died fetches the missing media`, async (t) => {
    const accountId = await addAccount(db)
    const [first, second] = [photoAt(`first ${how}`), photoAt(`second ${how}`)]
    const visuals = [first, second, words(how)]
    const job = { ...(await submit(accountId, { ...still, visuals })), ...bulk }
    await cutOff(job, first)
    await renderWhole(await submit(accountId, { ...still, visuals: [first] }))
    await stages.prepareInputs(job)
    await tasksWhenEnded(job)
    const { tasks, ended } = await renderWhole(job)
    t.is(ended?.state, 'completed', JSON.stringify(ended?.error))
    t.is(tasks.filter(({ kind }) => kind === 'ingest').length, 2)
  })
}

test.serial('elements that are being painted are waited for, and not made again', async (t) => {
  const accountId = await addAccount(db)
  const visuals = [photoAt('beside its words'), words('being painted')]
  const job = await submit(accountId, { ...still, visuals })
  const named = (next: Next) =>
    tasksOf(next)
      .map(({ name }) => name)
      .filter((name) => name.startsWith('bake'))
  const first = await stages.prepareInputs(job)
  const ofBulk = { ...job, bulkId: randomUUID() }
  t.deepEqual(
    named(await stages.prepareInputs(ofBulk)),
    named(first),
    'as by roles of the version before',
  )
  await tasksWhenEnded(job)
  const again = await stages.prepareInputs(ofBulk)
  t.deepEqual(named(again), named(first))
  t.like(again, { resume: 'render' })
  await stages.render(ofBulk)
  await tasksWhenEnded(job)
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
})

test.serial('a step that is repeated asks for the same task once', async (t) => {
  const accountId = await addAccount(db)
  const job = await submit(accountId, { ...still, visuals: [words('twice')] })
  await stages.prepareInputs(job)
  await tasksWhenEnded(job)
  t.deepEqual(await stages.prepareInputs(job), {
    wait: 'tasks',
    tasks: [{ name: 'make', end: { state: 'completed' } }],
    resume: 'settle',
  })
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
})

test.serial('a file made by nodes of another version serves no other job', async (t) => {
  const accountId = await addAccount(db)
  const visuals = [words('of another version')]
  const job = await submit(accountId, { ...still, visuals })
  await stages.prepareInputs(job)
  await tasksWhenEnded(job)
  const [task] = await listTasksOfJob(db, job)
  const spec: Readonly<Record<string, unknown>> = task?.spec ?? {}
  const draft = JSON.stringify({ ...JSON.parse(String(spec.draft)), engine: '0' })
  await db
    .updateTable('tasks')
    .set({ spec: JSON.stringify({ ...spec, draft }) })
    .where('job_id', '=', job.jobId)
    .execute()
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
  const next = await stages.prepareInputs(await submit(accountId, { ...still, visuals }))
  t.deepEqual(
    tasksOf(next).map(({ name }) => name),
    ['still'],
  )
})

test.serial('a long draft is an object, not a part of the lease', async (t) => {
  const job = await submit(await addAccount(db), {
    ...still,
    visuals: [words('word '.repeat(9_000))],
  })
  const { tasks, ended } = await renderWhole(job)
  t.deepEqual(
    tasks.map(({ kind, spec }) => [kind, spec.draft]),
    [['make', undefined]],
  )
  t.true(JSON.parse(String(await objects.read(draftKey(job)))).documents.length === 1)
  t.is(ended?.state, 'completed')
})

test.serial('a still of more elements than a page takes bakes in parts', async (t) => {
  const accountId = await addAccount(db)
  await db.updateTable('accounts').set({ plan: 'pro' }).where('id', '=', accountId).execute()
  const visuals = Array.from({ length: 61 }, (_, index) => words(`element ${index}`))
  const job = await submit(accountId, { ...still, visuals })
  await stages.prepareInputs(job)
  const kinds = (await tasksWhenEnded(job)).map(({ kind }) => kind)
  t.deepEqual(kinds, ['bake', 'bake'])
})

test.serial('a settling that is repeated leaves what it ended', async (t) => {
  const accountId = await addAccount(db)
  const job = await submit(accountId, { ...film, visuals: [words('replaced')] })
  await stages.prepareInputs(job)
  await tasksWhenEnded(job)
  await stages.settle({ ...job, end: { to: 'completed' } })
  // Repeats a step whose first answer was lost.
  await stages.settle({ ...job, end: { to: 'completed' } })
  t.is((await getJob(db, job))?.state, 'completed')
})

test.serial('a node that answers with another number of elements is not believed', async (t) => {
  const accountId = await addAccount(db)
  const output = { bytes: 1, duration: 0, frames: 1, width: 320, height: 180 }
  answer = () => ({ result: { bakes: [], output, seconds: {} } })
  t.teardown(() => {
    answer = () => 'answer'
  })
  const job = await submit(accountId, { ...still, visuals: [words('a lie')] })
  await stages.prepareInputs(job)
  await tasksWhenEnded(job)
  await t.throwsAsync(stages.settle({ ...job, end: { to: 'completed' } }), {
    message: /wrong answer for make/,
  })
})

test.serial('an account whose nodes know no single pass renders as before', async (t) => {
  const accountId = await addAccount(db)
  await db.updateTable('accounts').set({ pool: 'own' }).where('id', '=', accountId).execute()
  const job = await submit(accountId, { ...still, visuals: [words('in a pool')] })
  const next = await stages.prepareInputs(job)
  t.deepEqual(
    tasksOf(next).map(({ name }) => name.split('-')[0]),
    ['bake'],
  )
  const photo = { type: 'IMAGE', src: 'https://example.com/in-a-pool.png' }
  const ofBulk = await submit(accountId, { ...still, visuals: [photo, words('of a bulk')] })
  const prepared = await stages.prepareInputs({ ...ofBulk, bulkId: randomUUID() })
  t.like(prepared, { resume: 'render' })
  t.is(tasksOf(prepared).length, 2)
})

test.serial('a small film says how long it is while it is made', async (t) => {
  const accountId = await addAccount(db)
  answer = () => 'hold'
  t.teardown(() => {
    answer = () => 'answer'
  })
  const job = await submit(accountId, { ...film, visuals: [words('half-way')] })
  await stages.prepareInputs(job)
  t.like((await getJob(db, job))?.frames, { total: 20, reused: 0 })
})

test.serial('a farm whose nodes know no single pass renders as before', async (t) => {
  await node.stop()
  await db.deleteFrom('nodes').execute()
  const old = await startPaperNode({ db, objects })
  t.teardown(() => old.stop())
  const job = await submit(await addAccount(db), { ...still, visuals: [words('as before')] })
  const { tasks, ended } = await renderWhole(job)
  t.deepEqual(
    tasks.map(({ kind }) => kind),
    ['bake'],
  )
  t.is(ended?.state, 'completed')
})
