import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { startTemporal } from '../../../infra/local/temporal.ts'
import { workflowBundle } from '../../../workflows/bundle.ts'
import {
  renderGroupId,
  renderJobId,
  startRenderGroup,
  startRenderJob,
  taskQueue,
} from '../../../workflows/contract.ts'
import type { Step, StepBatchResult, StepEnd } from '../../../workflows/definitions/steps.ts'
import type { Next, Settled } from '../../../workflows/stages/next.ts'
import { runWorker } from '../../../workflows/worker.ts'
import { silent } from '../../store/database.ts'
import type { Recorder } from './recorder.ts'

const answers = {
  prepareInputs: { wait: 'tasks', tasks: [], resume: 'render' },
  render: { wait: 'tasks', tasks: [], resume: 'settle' },
  settle: { endsBulk: false },
} satisfies Record<string, Next | Settled>
const failure = { type: 'media_unreachable', message: 'It cannot be reached', details: [] }

/** A round's answer, by its steps and its number from 1. Throwing fails the round as a whole. */
type Answer = (steps: readonly Step[], nth: number) => StepBatchResult

const endsOf = (
  steps: readonly Step[],
  endOf: (step: Step) => StepEnd | undefined = () => undefined,
): StepBatchResult => {
  const ends = steps.map((step) => {
    return [
      step.of.jobId,
      endOf(step) ?? { answer: answers[step.stage as keyof typeof answers] },
    ] as const
  })
  return { ends: Object.fromEntries(ends), endsBulk: false }
}

/** Jobs of seven ways, some of whose steps are tried again, so that they meet and part in many rounds. */
function manyWays(): Answer {
  const asked = new Map<string, number>()
  return (steps, nth) =>
    endsOf(steps, (step) => {
      const number = Number(step.of.jobId.slice('job-'.length))
      if ((number + nth) % 4 === 0 && nth < 12) return { again: true }
      const key = `${step.stage} ${number}`
      const times = (asked.get(key) ?? 0) + 1
      asked.set(key, times)
      return wayOf(step.stage, { way: number % 7, times })
    })
}

/** Unusual answers to a job, by the stage and the number of the request. */
function wayOf(stage: Step['stage'], { way, times }: { way: number; times: number }) {
  const gathered = { tasks: [], unread: false }
  const shards = { tasks: [], whole: true, awaited: [] }
  const isFirst = times === 1
  if (stage === 'prepareInputs') {
    if (way === 1) return { answer: { ...gathered, unread: true } }
    if (way === 2 && isFirst) return { answer: { ...gathered, again: true } }
    if (way === 4) {
      return { answer: { ...gathered, shards: { ...shards, settled: { endsBulk: false } } } }
    }
    if (way === 6 && isFirst) return { answer: { ...gathered, behind: 'job-2' } }
  }
  if (stage === 'render') {
    if (way === 0 && isFirst) return { answer: { ...shards, awaited: ['fingerprint'] } }
    if (way === 3) return { answer: { ...shards, whole: false } }
    if (way === 5) return { failure }
  }
  if (stage === 'shareSegments') return { answer: null }
  if (stage === 'areAwaited') return { answer: isFirst }
  if (stage === 'bakeCaptions' || stage === 'assemble') return { answer: { tasks: [] } }
  return undefined
}

const groups: Record<string, { jobs: number; answer: Answer; holds?: string }> = {
  'render-group-steps-again': {
    jobs: 4,
    answer: (steps, nth) =>
      endsOf(steps, ({ stage, of }) => {
        if (nth === 1 && of.jobId !== 'job-3') return { again: true }
        return stage === 'prepareInputs' && of.jobId === 'job-1' && nth < 6
          ? { again: true }
          : undefined
      }),
  },
  'render-group-round-fails': {
    jobs: 3,
    answer(steps, nth) {
      const isBad = steps.some(({ stage, of }) => stage === 'prepareInputs' && of.jobId === 'job-1')
      if (nth === 1 || (nth < 5 && isBad)) throw new Error('The database is away')
      return endsOf(steps)
    },
  },
  'render-group-too-large': {
    jobs: 25,
    answer: (steps) =>
      steps.length > 10 && steps.some(({ stage }) => stage === 'render')
        ? { ends: {}, endsBulk: false, isTooLarge: true }
        : endsOf(steps),
  },
  'render-group-waits-for-media': {
    jobs: 4,
    answer: (steps) =>
      endsOf(steps, ({ stage, of }) => {
        if (stage !== 'prepareInputs' || 'hasWaited' in of) return undefined
        const mediaOf = (jobId: string) => {
          const next: Next = { wait: 'media-of', tasks: [], jobId, resume: 'prepareInputs' }
          return { answer: next }
        }
        if (of.jobId === 'job-1') return mediaOf('job-0')
        if (of.jobId === 'job-2') return { failure }
        return of.jobId === 'job-3' ? mediaOf('job-2') : undefined
      }),
  },
  'render-group-many-ways': { jobs: 25, answer: manyWays(), holds: 'TIMER_FIRED' },
  'render-group-unsettled': {
    jobs: 2,
    answer: (steps) =>
      endsOf(steps, ({ stage, of }) =>
        stage === 'settle' && of.jobId === 'job-0' ? { failure } : undefined,
      ),
    holds: 'WORKFLOW_EXECUTION_FAILED',
  },
  'render-group-ends-bulk': {
    jobs: 2,
    answer: (steps) => ({
      ...endsOf(steps),
      endsBulk: steps.some(({ stage }) => stage === 'settle'),
    }),
    holds: 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED',
  },
}

/** So often the local retries of `settle` go on until the pause is a timer of the workflow. */
const settleFailures = 9

/**
 * Records what happens when the database is away and answers are too large: the real workflows, whose
 * activities answer as they would then.
 */
export async function recordTroubles(recorder: Recorder): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const temporal = await startTemporal({ dataDir: folder })
  const server = { address: temporal.address, tls: false } as const
  const connection = await Connection.connect(server)
  const client = new Client({ connection })
  const bundle = await workflowBundle(silent)

  async function withActivities(activities: object, work: () => Promise<void>) {
    const own = { taskQueue, activities }
    const worker = await runWorker({ server, namespace: 'default', log: silent, work: own, bundle })
    await work().finally(worker.stop)
  }

  try {
    for (const [kind, { jobs, answer, holds = 'runSteps' }] of Object.entries(groups)) {
      let nth = 0
      const runSteps = async ({ steps }: { steps: readonly Step[] }) => {
        nth += 1
        return answer(steps, nth)
      }
      await withActivities({ runSteps }, async () => {
        const group = randomUUID()
        const jobIds = Array.from({ length: jobs }, (_, n) => `job-${n}`)
        const ids = { accountId: 'account', bulkId: 'bulk' }
        await startRenderGroup(client, { ...ids, group, jobIds })
        const workflowId = renderGroupId(group)
        await recorder.record(client, kind, { workflowId, holds: [holds] })
      })
    }
    let [prepared, settled] = [0, 0]
    const job = {
      async gather(): Promise<Next> {
        prepared += 1
        return { wait: 'tasks', tasks: [], resume: prepared === 1 ? 'prepareInputs' : 'render' }
      },
      render: async () => answers.render,
      async settle() {
        settled += 1
        if (settled <= settleFailures) throw new Error('The database is away')
        return { endsBulk: true }
      },
    }
    await withActivities(job, async () => {
      const jobId = randomUUID()
      await startRenderJob(client, { accountId: 'account', jobId, bulkId: 'bulk' })
      const workflowId = renderJobId(jobId)
      const holds = ['TIMER_FIRED', 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED']
      await recorder.record(client, 'render-job-settled-late', { workflowId, holds })
    })
  } finally {
    await connection.close()
    await temporal.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
