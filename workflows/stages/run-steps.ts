import { ApplicationFailure } from '@temporalio/common'
import { type BulkRenderInput, fewSteps } from '../contract.ts'
import type { Step, StepBatchResult, StepEnd } from '../definitions/steps.ts'
import type { Stages } from './stage-types.ts'

type Bulks = {
  /** Creates the stages; a job that ends calls `fillBulk` to start the next ones of its bulk. */
  readonly stages: (fillBulk: (bulk: BulkRenderInput) => Promise<{ open: number }>) => Stages
  readonly fillBulk: (bulk: BulkRenderInput) => Promise<{ open: number }>
}

/** Bytes of a history record; Temporal takes no more than 2 MB. */
const recordMax = 1_600_000

/**
 * Runs steps of several jobs of one bulk. A failed step affects no other. The bulk is filled up
 * once, when all are done. Never rejects for a step.
 */
export async function runSteps(steps: readonly Step[], bulks: Bulks): Promise<StepBatchResult> {
  let left: BulkRenderInput | undefined
  const stages = bulks.stages(async (bulk) => {
    left = bulk
    // Filled up once, below, which also tells whether the bulk has ended.
    return { open: 1 }
  })
  // Run in parallel, so that their database queries form batches.
  const ends = await Promise.all(
    steps.map(async (step) => [step.of.jobId, await endOf(runStep(stages, step))] as const),
  )
  const { open } = left ? await bulks.fillBulk(left) : { open: 1 }
  const result = { ends: Object.fromEntries(ends), endsBulk: open === 0 }
  const isTooLarge =
    steps.length > fewSteps && Buffer.byteLength(JSON.stringify(result)) > recordMax
  return isTooLarge ? { ...result, ends: {}, isTooLarge } : result
}

async function runStep(stages: Stages, step: Step): Promise<unknown> {
  switch (step.stage) {
    case 'areAwaited':
      return stages.areAwaited(step.of)
    case 'settle':
      return stages.settle(step.of)
    default:
      return stages[step.stage](step.of)
  }
}

async function endOf(work: Promise<unknown>): Promise<StepEnd> {
  try {
    // JSON leaves out undefined, and an end without an answer would be retried.
    return { answer: (await work) ?? null }
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || !error.nonRetryable) return { again: true }
    const { type, message, details } = error
    return { failure: { type: type ?? 'internal', message, details: details ?? [] } }
  }
}
