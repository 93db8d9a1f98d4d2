import type { BulkRenderInput, GatheringJob, RenderJobInput } from '../contract.ts'
import type { Round, Step } from '../steps.ts'
import { assemble } from './assemble.ts'
import { areAwaited, shareSegments } from './await-segments.ts'
import type {
  ActivityBase,
  ActivityContext,
  JobEnd,
  Settled,
  StartedGathering,
  StartedShards,
  StartedTasks,
} from './context.ts'
import { asFailure } from './failures.ts'
import { bakeCaptions, gather } from './gather.ts'
import { render } from './render.ts'
import { runSteps } from './run-steps.ts'
import { settle } from './settle.ts'
import { fillBulk, startNextOfBulk } from './start-next-of-bulk.ts'
import { createTogether } from './together.ts'

/** The stages of a job. Each may be repeated at any time and then does only what is missing. */
export type Stages = {
  /** Resolve, then ask for the media and for the bakes that the store does not have; render if it has all. */
  gather(job: GatheringJob): Promise<StartedGathering>
  /** Ask for the bakes of the captions that stand in a file, which has been fetched. */
  bakeCaptions(job: RenderJobInput): Promise<StartedTasks>
  /** Plan, then ask for the segments that the store does not have; settle if it has the file. */
  render(job: RenderJobInput): Promise<StartedShards>
  /** Hand over the segments that the job has rendered, before it waits for others'. */
  shareSegments(job: RenderJobInput): Promise<void>
  /** Whether other jobs still render segments that this one needs. */
  areAwaited(job: RenderJobInput & { readonly segments: readonly string[] }): Promise<boolean>
  /** Ask for the film to be put together. */
  assemble(job: RenderJobInput): Promise<StartedTasks>
  /** Ends the job and begins the next ones of its bulk; says whether that was the bulk's last one. */
  settle(job: RenderJobInput & { readonly end: JobEnd }): Promise<Settled>
}

export type FarmActivities = Stages & {
  /** Steps of several jobs of a bulk together. */
  runSteps(round: { readonly steps: readonly Step[] }): Promise<Round>
  /** A bulk's turn: starts its next jobs; answers how many have not ended. */
  startNextOfBulk(bulk: BulkRenderInput): Promise<{ open: number }>
}

/** The activities over what they work with. */
export function createActivities(base: ActivityBase): FarmActivities {
  const fill = (bulk: BulkRenderInput) => fillBulk(base, bulk)
  const together = createTogether(base.db)
  const stages = stagesOver({ ...base, together, fillBulk: fill })
  return {
    ...stages,
    runSteps: ({ steps }) =>
      runSteps(steps, {
        stages: (fillLater) => stagesOver({ ...base, together, fillBulk: fillLater }),
        fillBulk: (bulk) => fill(bulk).catch((error: unknown) => leftToBulk(base, { bulk, error })),
      }),
    startNextOfBulk: (bulk) => explained(startNextOfBulk(base, bulk)),
  }
}

function stagesOver(context: ActivityContext): Stages {
  return {
    gather: (job) => explained(gather(context, job)),
    bakeCaptions: (job) => explained(bakeCaptions(context, job)),
    render: (job) => explained(render(context, job)),
    shareSegments: (job) => explained(shareSegments(context, job)),
    areAwaited: (job) => explained(areAwaited(context, job)),
    assemble: (job) => explained(assemble(context, job)),
    settle: (job) => explained(settle(context, job)),
  }
}

/** What has been done is not done again for it: the bulk's own workflow looks by itself. */
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
