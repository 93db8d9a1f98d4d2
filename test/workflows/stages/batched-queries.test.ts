import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { cancelJob } from '../../../store/db/jobs/cancel-job.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import type { Step } from '../../../workflows/definitions/steps.ts'
import { addAccount } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { words } from '../films.ts'
import { startPaperNode } from '../paper-node.ts'
import { startStages } from '../stages.ts'

const { db, objects, stages, stop } = await startStages()
const kinds = ['ingest', 'bake', 'render', 'assemble', 'still', 'make'] as const
/** Jobs whose node answers like another kind of task. */
const rogues = new Set<string>()
const node = await startPaperNode({
  ...{ db, objects, kinds },
  answer: ({ jobId }) => (rogues.has(jobId) ? { result: { digest: 'none' } } : 'answer'),
})

test.after.always(async () => {
  await node.stop()
  await stop()
})

async function submit(
  accountId: string,
  payload: Record<string, unknown>,
): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const job = { id: jobId, accountId, type: 'image' as const, name: 'still', credits: 10 }
  await insertJobWithHold(db, { ...job, request: { payload } })
  return { accountId, jobId }
}

const still = (html: string) => {
  return { type: 'image', width: 320, height: 180, visuals: [words(html)] }
}

async function waitForTasks(job: RenderJobInput): Promise<void> {
  while ((await listTasksOfJob(db, job)).some(({ outcome }) => outcome === undefined)) {
    await sleep(10)
  }
}

const all = (stage: 'prepareInputs', jobs: readonly RenderJobInput[]): readonly Step[] =>
  jobs.map((of) => ({ stage, of }))

async function creditsOf(accountId: string) {
  return await db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

test('jobs that share a step go their own ways, whatever others do', async (t) => {
  const accountId = await addAccount(db)
  const made = [await submit(accountId, still('<b>one</b>')), await submit(accountId, still('two'))]
  const wrong = await submit(accountId, { ...still('three'), width: -1 })
  const cancelled = await submit(accountId, still('four'))
  await cancelJob(db, { ...cancelled, reason: 'a test' })
  const rogue = await submit(accountId, still('five'))
  rogues.add(rogue.jobId)
  const strange = { accountId: await addAccount(db), jobId: made[0]?.jobId ?? '' }
  const jobs = [...made, wrong, cancelled, rogue]
  const { ends } = await stages.runSteps({ steps: all('prepareInputs', jobs) })
  for (const { jobId } of [...made, rogue]) {
    t.like(ends[jobId], { answer: { tasks: [{ name: 'make' }], resume: 'settle' } })
  }
  t.like(ends[wrong.jobId], { failure: { type: 'invalid_request' } })
  t.like(ends[cancelled.jobId], { failure: { type: 'cancelled' } })
  const others = await stages.runSteps({ steps: all('prepareInputs', [strange]) })
  t.like(others.ends[strange.jobId], { failure: { type: 'cancelled' } })
  await Promise.all([...made, rogue].map(waitForTasks))
  const steps = [...made, rogue].map(
    (of): Step => ({ stage: 'settle', of: { ...of, end: { to: 'completed' } } }),
  )
  const settled = await stages.runSteps({ steps })
  for (const job of made) {
    t.deepEqual(settled.ends[job.jobId], { answer: { endsBulk: false } })
    t.like(await getJob(db, job), { state: 'completed', creditsCharged: 1 })
  }
  t.like(settled.ends[rogue.jobId], { failure: { type: 'internal' } })
  t.like(await getJob(db, rogue), { state: 'rendering' })
  // Ten each are held for the job that a node answered wrongly and the invalid one.
  t.deepEqual(await creditsOf(accountId), { balance: 998, reserved: 20 })
})

test('a step that is repeated beside itself is done once', async (t) => {
  const accountId = await addAccount(db)
  const job = await submit(accountId, still('twice at once'))
  for (const next of await Promise.all([stages.prepareInputs(job), stages.prepareInputs(job)])) {
    t.like(next, { wait: 'tasks', tasks: [{ name: 'make' }], resume: 'settle' })
  }
  t.is((await listTasksOfJob(db, job)).length, 1)
  await waitForTasks(job)
  const end = { to: 'completed' } as const
  await Promise.all([stages.settle({ ...job, end }), stages.settle({ ...job, end })])
  t.like(await getJob(db, job), { state: 'completed', creditsCharged: 1 })
  t.deepEqual(await creditsOf(accountId), { balance: 999, reserved: 0 })
})
