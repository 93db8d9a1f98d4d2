import { ApplicationFailure, CancellationScope, sleep } from '@temporalio/workflow'
import { fewSteps } from '../contract.ts'
import type { Stages } from '../stages/stage-types.ts'
import { runSteps } from './stages.ts'
import type { Step, StepBatchResult, StepEnd } from './steps.ts'

/** Batches the concurrent steps of several jobs into one local activity. */
export type StepBatcher = {
  readonly stages: Stages
  /** Answers whether a batch has ended the bulk. */
  endsBulk(): boolean
}

type PendingStep = {
  readonly step: Step
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
  /** Total pause between its tries. */
  waitedMs: number
  /** Set after a batch failed as a whole, maybe because of this step. */
  isAlone: boolean
}

/**
 * Microtask ticks after which the jobs that one activation has woken have reached their next step.
 */
const ticks = 5

const firstPauseMs = 100
const longestPauseMs = 10_000
const longestMs = 30 * 60_000
/**
 * A job that cannot be settled would keep its hold for ever: retried as long as the workflow may
 * run.
 */
const longestSettlePauseMs = 5 * 60_000

/**
 * One batch runs at a time, failed steps join a later one, and no stage runs beside it. During
 * replay, steps that ended one after the other end at once. With parallel batches the jobs would
 * form other batches than the history holds.
 *
 * `most`: steps of a batch, until an answer is too large for the history; `fewSteps` from then on.
 */
export function createStepBatcher(most: number): StepBatcher {
  let stepsMax = most
  let waiting: PendingStep[] = []
  let isRunning = false
  let endsBulk = false

  async function runBatches(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const pending = takeBatch()
      const result = await runBatch(pending.map(({ step }) => step))
      endsBulk ||= result?.endsBulk ?? false
      if (result?.isTooLarge) stepsMax = fewSteps
      for (const each of pending) {
        each.isAlone = result === undefined
        answer(each, result?.ends[each.step.of.jobId])
      }
    }
    isRunning = false
  }

  /** Takes the waiting steps, or a single one that may have failed a batch. */
  function takeBatch(): readonly PendingStep[] {
    const others = waiting.filter(({ isAlone }) => !isAlone)
    const taken = others.length > 0 ? others.slice(0, stepsMax) : waiting.slice(0, 1)
    waiting = waiting.filter((each) => !taken.includes(each))
    return taken
  }

  function answer(pending: PendingStep, end: StepEnd = { again: true }): void {
    if ('failure' in end) {
      pending.reject(ApplicationFailure.create({ ...end.failure, nonRetryable: true }))
    } else if ('answer' in end) {
      pending.resolve(end.answer)
    } else {
      void CancellationScope.nonCancellable(() => retryLater(pending))
    }
  }

  async function retryLater(pending: PendingStep): Promise<void> {
    const isSettle = pending.step.stage === 'settle'
    if (!isSettle && pending.waitedMs >= longestMs) return pending.reject(neverDone())
    const most = isSettle ? longestSettlePauseMs : longestPauseMs
    const pauseMs = Math.min(Math.max(pending.waitedMs, firstPauseMs), most)
    pending.waitedMs += pauseMs
    await sleep(pauseMs)
    enqueue(pending)
  }

  function enqueue(pending: PendingStep): void {
    waiting.push(pending)
    if (!isRunning) void runBatches()
  }

  const stage = <Answer>(step: Step) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const answering = { resolve: resolve as PendingStep['resolve'], reject }
    enqueue({ step, ...answering, waitedMs: 0, isAlone: false })
    return promise
  }

  return {
    endsBulk: () => endsBulk,
    stages: {
      prepareInputs: (of) => stage({ stage: 'prepareInputs', of }),
      bakeCaptions: (of) => stage({ stage: 'bakeCaptions', of }),
      render: (of) => stage({ stage: 'render', of }),
      shareSegments: (of) => stage({ stage: 'shareSegments', of }),
      areAwaited: (of) => stage({ stage: 'areAwaited', of }),
      assemble: (of) => stage({ stage: 'assemble', of }),
      settle: (of) => stage({ stage: 'settle', of }),
    },
  }
}

/**
 * Returns undefined when the batch failed as a whole. Steps in flight are not cancelled: their jobs
 * are.
 */
async function runBatch(steps: readonly Step[]): Promise<StepBatchResult | undefined> {
  return await CancellationScope.nonCancellable(() => runSteps({ steps })).catch(() => undefined)
}

function neverDone(): ApplicationFailure {
  const message = 'The farm could not work on this job'
  return ApplicationFailure.create({ type: 'internal', message, nonRetryable: true })
}
