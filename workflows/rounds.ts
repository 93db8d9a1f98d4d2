import { ApplicationFailure, CancellationScope, sleep } from '@temporalio/workflow'
import type { Stages } from './activities/activities.ts'
import { fewSteps } from './contract.ts'
import { runSteps } from './stages.ts'
import type { Round, Step, StepEnd } from './steps.ts'

/** Batches the concurrent steps of several jobs into one local activity. */
export type Rounds = {
  readonly stages: Stages
  /** Answers whether a batch has ended the bulk. */
  endsBulk(): boolean
}

type Asked = {
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
export function createRounds(most: number): Rounds {
  let stepsMax = most
  let waiting: Asked[] = []
  let isRunning = false
  let endsBulk = false

  async function runRounds(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const asked = takeRound()
      const round = await runRound(asked.map(({ step }) => step))
      endsBulk ||= round?.endsBulk ?? false
      if (round?.isTooLarge) stepsMax = fewSteps
      for (const each of asked) {
        each.isAlone = round === undefined
        answer(each, round?.ends[each.step.of.jobId])
      }
    }
    isRunning = false
  }

  /** Takes the waiting steps, or a single one that may have failed a batch. */
  function takeRound(): readonly Asked[] {
    const others = waiting.filter(({ isAlone }) => !isAlone)
    const taken = others.length > 0 ? others.slice(0, stepsMax) : waiting.slice(0, 1)
    waiting = waiting.filter((each) => !taken.includes(each))
    return taken
  }

  function answer(asked: Asked, end: StepEnd = { again: true }): void {
    if ('failure' in end) {
      asked.reject(ApplicationFailure.create({ ...end.failure, nonRetryable: true }))
    } else if ('answer' in end) {
      asked.resolve(end.answer)
    } else {
      void CancellationScope.nonCancellable(() => askAgain(asked))
    }
  }

  async function askAgain(asked: Asked): Promise<void> {
    const isSettle = asked.step.stage === 'settle'
    if (!isSettle && asked.waitedMs >= longestMs) return asked.reject(neverDone())
    const most = isSettle ? longestSettlePauseMs : longestPauseMs
    const pauseMs = Math.min(Math.max(asked.waitedMs, firstPauseMs), most)
    asked.waitedMs += pauseMs
    await sleep(pauseMs)
    ask(asked)
  }

  function ask(asked: Asked): void {
    waiting.push(asked)
    if (!isRunning) void runRounds()
  }

  const stage = <Answer>(step: Step) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const answering = { resolve: resolve as Asked['resolve'], reject }
    ask({ step, ...answering, waitedMs: 0, isAlone: false })
    return promise
  }

  return {
    endsBulk: () => endsBulk,
    stages: {
      gather: (of) => stage({ stage: 'gather', of }),
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
async function runRound(steps: readonly Step[]): Promise<Round | undefined> {
  return await CancellationScope.nonCancellable(() => runSteps({ steps })).catch(() => undefined)
}

function neverDone(): ApplicationFailure {
  const message = 'The farm could not work on this job'
  return ApplicationFailure.create({ type: 'internal', message, nonRetryable: true })
}
