import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/db/database.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { RenderJobInput, TaskEnd } from '../contract.ts'
import { assemble } from './assemble.ts'
import { asFailure } from './failures.ts'
import { bakeCaptions, gather } from './gather.ts'
import { render } from './render.ts'
import { settle } from './settle.ts'

export type ActivityContext = {
  readonly db: Db
  readonly objects: ObjectStore
  readonly log: Log
  /** Hosts that the api accepted although the media URL rule says no. */
  readonly trustedHosts: readonly string[]
}

/** Tasks to wait for; `end` is there when a task had ended before this step (it was repeated). */
export type StartedTasks = {
  readonly tasks: readonly { readonly name: string; readonly end?: TaskEnd }[]
}

/** `whole`: these tasks finish the file, nothing is left to assemble. */
export type StartedShards = StartedTasks & { readonly whole: boolean }

/** `unread`: what the captions of a subtitle's file are is known when these tasks are done. */
export type StartedGathering = StartedTasks & { readonly unread: boolean }

/** `details` and `code` are checked where they are stored: they come out of a failure. */
export type JobEnd =
  | { readonly to: 'completed' }
  | { readonly to: 'cancelled' }
  | {
      readonly to: 'failed'
      readonly code: string
      readonly message?: string
      readonly details?: unknown
    }

/** The stages of a job. Each may be repeated at any time and then does only what is missing. */
export type FarmActivities = {
  /** Resolve, then ask for the media and for the bakes that the store does not have. */
  gather(job: RenderJobInput): Promise<StartedGathering>
  /** Ask for the bakes of the captions that stand in a file, which has been fetched. */
  bakeCaptions(job: RenderJobInput): Promise<StartedTasks>
  /** Plan, then ask for the segments that the store does not have. */
  render(job: RenderJobInput): Promise<StartedShards>
  /** Ask for the film to be put together. */
  assemble(job: RenderJobInput): Promise<StartedTasks>
  settle(job: RenderJobInput & { readonly end: JobEnd }): Promise<void>
}

/** The activities over what they work with. */
export function createActivities(context: ActivityContext): FarmActivities {
  return {
    gather: (job) => explained(gather(context, job)),
    bakeCaptions: (job) => explained(bakeCaptions(context, job)),
    render: (job) => explained(render(context, job)),
    assemble: (job) => explained(assemble(context, job)),
    settle: (job) => explained(settle(context, job)),
  }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asFailure(error)
  }
}
