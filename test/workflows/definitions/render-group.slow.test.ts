import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection, WorkflowFailedError } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../../../infra/local/ports.ts'
import { type LocalTemporal, startTemporal } from '../../../infra/local/temporal.ts'
import { workflowBundle } from '../../../workflows/bundle.ts'
import { renderGroupId, startRenderGroup, taskQueue } from '../../../workflows/contract.ts'
import type { Step, StepBatchResult, StepEnd } from '../../../workflows/definitions/steps.ts'
import { installRuntime, runWorker } from '../../../workflows/worker.ts'
import { silent } from '../../store/database.ts'

let folder: string
let temporal: LocalTemporal

test.before(async () => {
  installRuntime(silent)
  folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  temporal = await startTemporal({ dataDir: folder, port: await freePort() })
})
test.after.always(async () => {
  await temporal?.stop()
  await rm(folder, { recursive: true, force: true })
})

const answers: Record<string, StepEnd> = {
  prepareInputs: { answer: { tasks: [], unread: false } },
  render: { answer: { tasks: [], whole: true, awaited: [] } },
  settle: { answer: { endsBulk: false } },
}

/**
 * Runs a group of jobs whose steps end by `endOf`; returns the batches and the warnings about the
 * history.
 */
async function runGroup(
  t: ExecutionContext,
  jobIds: readonly string[],
  endOf: (step: Step, nth: number) => StepEnd | undefined,
  isTooLarge: (steps: readonly Step[]) => boolean = () => false,
) {
  const bundle = await workflowBundle(silent)
  const server = { address: temporal.address, tls: false } as const
  const batches: string[] = []
  const runSteps = async ({ steps }: { steps: readonly Step[] }): Promise<StepBatchResult> => {
    const nth = batches.push(steps.map(({ stage, of }) => `${stage} ${of.jobId}`).join(', '))
    const ends = steps.map((step) => {
      return [step.of.jobId, endOf(step, nth) ?? answers[step.stage] ?? { again: true }] as const
    })
    if (isTooLarge(steps)) return { ends: {}, endsBulk: false, isTooLarge: true }
    return { ends: Object.fromEntries(ends), endsBulk: false }
  }
  const work = { taskQueue, activities: { runSteps } }
  const worker = await runWorker({ server, namespace: 'default', log: silent, work, bundle })
  t.teardown(worker.stop)
  const connection = await Connection.connect(server)
  t.teardown(() => connection.close())
  const client = new Client({ connection })
  const group = randomUUID()
  const workflowId = renderGroupId(group)
  await startRenderGroup(client, { accountId: 'account', bulkId: 'bulk', group, jobIds })
  const handle = client.workflow.getHandle(workflowId)
  const error: unknown = await handle.result().catch((reason: unknown) => reason)
  return {
    ...{ batches, error },
    async replay() {
      const bundle = { workflowBundle: await workflowBundle(silent) }
      await Worker.runReplayHistory(bundle, await handle.fetchHistory(), workflowId)
    },
  }
}

test.serial('jobs with failing steps join later rounds, and the history replays', async (t) => {
  t.timeout(60_000)
  const { batches, error, replay } = await runGroup(
    t,
    ['a', 'b', 'c', 'd'],
    ({ stage, of }, nth) => {
      if (nth === 1 && of.jobId !== 'd') return { again: true }
      if (stage === 'prepareInputs' && of.jobId === 'b' && nth < 6) return { again: true }
      return undefined
    },
  )
  t.is(error, undefined)
  t.is(batches[0], 'prepareInputs a, prepareInputs b, prepareInputs c, prepareInputs d')
  for (const id of ['a', 'b', 'c', 'd']) {
    t.is(batches.filter((batch) => batch.includes(`settle ${id}`)).length, 1)
  }
  await t.notThrowsAsync(replay())
})

test.serial('steps of a failed batch are retried one by one', async (t) => {
  t.timeout(60_000)
  const { batches, error, replay } = await runGroup(t, ['a', 'b', 'c'], ({ stage, of }, nth) => {
    if (nth === 1 || (nth < 5 && stage === 'prepareInputs' && of.jobId === 'b'))
      throw new Error('a test')
    return undefined
  })
  t.is(error, undefined)
  const prepared = batches.filter((batch) => batch.includes('prepareInputs'))
  t.is(prepared[0], 'prepareInputs a, prepareInputs b, prepareInputs c')
  t.true(
    prepared.slice(1).every((batch) => !batch.includes(',')),
    batches.join('; '),
  )
  await t.notThrowsAsync(replay())
})

test.serial('batches have twenty steps, and ten after an oversized answer', async (t) => {
  t.timeout(60_000)
  const jobIds = Array.from({ length: 25 }, (_, nth) => `job-${nth}`)
  const isRender = ({ stage }: Step) => stage === 'render'
  const tooLarge = (steps: readonly Step[]) => steps.length > 10 && steps.some(isRender)
  const { batches, error, replay } = await runGroup(t, jobIds, () => undefined, tooLarge)
  t.is(error, undefined)
  const sizes = batches.map((batch) => batch.split(', ').length)
  t.is(sizes[0], 20)
  const large = batches.findIndex(
    (batch, nth) => batch.includes('render') && (sizes[nth] ?? 0) > 10,
  )
  t.true(large > 0)
  t.true(
    sizes.slice(large + 1).every((size) => size <= 10),
    sizes.join(' '),
  )
  for (const id of jobIds) {
    t.true(batches.slice(large + 1).some((batch) => batch.split(', ').includes(`settle ${id}`)))
  }
  await t.notThrowsAsync(replay())
})

test.serial('a job waiting for another’s media goes on when they arrive', async (t) => {
  t.timeout(60_000)
  const behind = (other: string) => ({
    answer: { tasks: [], unread: false, behind: other },
  })
  const failure = { type: 'media_unreachable', message: 'a test', details: [] }
  const { batches, error, replay } = await runGroup(t, ['a', 'b', 'c', 'd'], ({ stage, of }) => {
    if (stage !== 'prepareInputs' || 'hasWaited' in of) return undefined
    if (of.jobId === 'b') return behind('a')
    if (of.jobId === 'c') return { failure }
    return of.jobId === 'd' ? behind('c') : undefined
  })
  t.is(error, undefined)
  const at = (step: string) => batches.findLastIndex((batch) => batch.includes(step))
  t.is(batches[0], 'prepareInputs a, prepareInputs b, prepareInputs c, prepareInputs d')
  t.true(at('prepareInputs b') > at('render a'), batches.join('; '))
  t.true(at('prepareInputs d') > at('settle c'), batches.join('; '))
  for (const id of ['a', 'b', 'c', 'd']) t.true(at(`settle ${id}`) > 0)
  await t.notThrowsAsync(replay())
})

test.serial('a job that cannot be settled does not end the others', async (t) => {
  t.timeout(60_000)
  const failure = { type: 'internal', message: 'a test', details: [] }
  const { batches, error } = await runGroup(t, ['a', 'b'], ({ stage, of }, nth) => {
    if (stage === 'settle' && of.jobId === 'a') return { failure }
    if (stage === 'prepareInputs' && of.jobId === 'b' && nth < 5) return { again: true }
    return undefined
  })
  t.true(
    batches.some((batch) => batch.includes('settle b')),
    batches.join('; '),
  )
  t.true(error instanceof WorkflowFailedError)
})
