import type { BulkRenderInput } from '../contract.ts'
import type { Step, StepBatchResult } from '../definitions/steps.ts'
import { assemble } from './assemble.ts'
import { areAwaited, shareSegments } from './await-segments.ts'
import { createBatchedQueries } from './batched-queries.ts'
import type { ActivityBase, ActivityContext } from './context.ts'
import { asFailure } from './failures.ts'
import { bakeCaptions, prepareInputs } from './prepare-inputs.ts'
import { render } from './render.ts'
import { runSteps } from './run-steps.ts'
import { settle } from './settle.ts'
import type { RegisteredStages, Stages } from './stage-types.ts'
import { fillBulk, startNextOfBulk } from './start-next-of-bulk.ts'

export type FarmActivities = Stages & {
  /** Runs steps of several jobs of a bulk as one batch. */
  runSteps(batch: { readonly steps: readonly Step[] }): Promise<StepBatchResult>
  /** Starts a bulk's next jobs; answers how many have not ended. */
  startNextOfBulk(bulk: BulkRenderInput): Promise<{ open: number }>
}

/** Creates the activities over their dependencies. */
export function createActivities(base: ActivityBase): FarmActivities {
  const fill = (bulk: BulkRenderInput) => fillBulk(base, bulk)
  const queries = createBatchedQueries(base.db)
  const stages = stagesOver({ ...base, queries, fillBulk: fill })
  return {
    ...stages,
    runSteps: ({ steps }) =>
      runSteps(steps, {
        stages: (fillLater) => stagesOver({ ...base, queries, fillBulk: fillLater }),
        fillBulk: (bulk) => fill(bulk).catch((error: unknown) => leftToBulk(base, { bulk, error })),
      }),
    startNextOfBulk: (bulk) => explained(startNextOfBulk(base, bulk)),
  }
}

/** The activities under the names that histories know. */
export function registeredActivities(
  base: ActivityBase,
): RegisteredStages & Omit<FarmActivities, keyof Stages> {
  const { prepareInputs, ...others } = createActivities(base)
  return { ...others, gather: prepareInputs }
}

function stagesOver(context: ActivityContext): Stages {
  return {
    prepareInputs: (job) => explained(prepareInputs(context, job)),
    bakeCaptions: (job) => explained(bakeCaptions(context, job)),
    render: (job) => explained(render(context, job)),
    shareSegments: (job) => explained(shareSegments(context, job)),
    areAwaited: (job) => explained(areAwaited(context, job)),
    assemble: (job) => explained(assemble(context, job)),
    settle: (job) => explained(settle(context, job)),
  }
}

/** Logs only: no finished step is repeated, and the bulk's own workflow looks for the next jobs. */
function leftToBulk(
  { log }: ActivityBase,
  { bulk, error }: { bulk: BulkRenderInput; error: unknown },
) {
  log.warn({ err: error, ...bulk }, 'the next jobs of a bulk could not be started')
  return { open: 1 }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asFailure(error)
  }
}
