import { ApplicationFailure, CancellationScope } from '@temporalio/workflow'
import type { Stages } from './activities/activities.ts'
import { runSteps, stages } from './stages.ts'
import { type Round, runStep, type Step, type StepEnd } from './steps.ts'

/** What several jobs ask for at the same moment is done in one step of Temporal's. */
export type Rounds = {
  readonly stages: Stages
  /** Whether a round has ended the bulk. */
  endsBulk(): boolean
}

type Asked = {
  readonly step: Step
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Ticks in which the jobs that one activation has woken come to their next step. */
const ticks = 5

export function createRounds(): Rounds {
  const waiting: Asked[] = []
  let isRunning = false
  let endsBulk = false

  async function runRounds(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const asked = waiting.splice(0)
      const round = await runRound(asked.map(({ step }) => step))
      endsBulk ||= round.endsBulk
      for (const [at, each] of asked.entries()) answer(each, round.ends[at])
    }
    isRunning = false
  }

  const ask = <Answer>(step: Step) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    waiting.push({ step, resolve: resolve as Asked['resolve'], reject })
    if (!isRunning) void runRounds()
    return promise
  }

  return {
    endsBulk: () => endsBulk,
    stages: {
      gather: (of) => ask({ stage: 'gather', of }),
      bakeCaptions: (of) => ask({ stage: 'bakeCaptions', of }),
      render: (of) => ask({ stage: 'render', of }),
      shareSegments: (of) => ask({ stage: 'shareSegments', of }),
      areAwaited: (of) => ask({ stage: 'areAwaited', of }),
      assemble: (of) => ask({ stage: 'assemble', of }),
      settle: (of) => ask({ stage: 'settle', of }),
    },
  }
}

/** A round that fails as a whole leaves each step to itself. What was begun is not cancelled: its jobs are. */
async function runRound(steps: readonly Step[]): Promise<Round> {
  return await CancellationScope.nonCancellable(() => runSteps({ steps })).catch(() => ({
    ends: steps.map(() => ({ again: true }) as const),
    endsBulk: false,
  }))
}

function answer({ step, resolve, reject }: Asked, end: StepEnd | undefined): void {
  if (end === undefined || 'again' in end) {
    resolve(CancellationScope.nonCancellable(() => runStep(stages, step)))
  } else if ('failure' in end) {
    reject(ApplicationFailure.create({ ...end.failure, nonRetryable: true }))
  } else {
    resolve(end.answer)
  }
}
