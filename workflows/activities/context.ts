import type { Log } from '../../runtime/log.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import type { Db } from '../../store/db/database.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { BulkRenderInput, RenderGroupInput, TaskEnd } from '../contract.ts'
import type { WorkflowsMetrics } from '../metrics.ts'
import type { Together } from './together.ts'

/** What the activities work with. */
export type ActivityBase = {
  readonly db: Db
  readonly objects: ObjectStore
  readonly log: Log
  readonly metrics: WorkflowsMetrics
  readonly tracing: Tracing
  /** Hosts that the api accepted although the media URL rule says no. */
  readonly trustedHosts: readonly string[]
  /** Starts the workflow of jobs of a bulk. */
  readonly startGroup: (group: RenderGroupInput) => Promise<void>
}

/** What the stages of a job work with. */
export type ActivityContext = ActivityBase & {
  /** What is asked of the database for many jobs at once. */
  readonly together: Together
  /** When a job of it has ended: begins the next ones; answers how many have not ended. */
  readonly fillBulk: (bulk: BulkRenderInput) => Promise<{ open: number }>
}

/** Tasks to wait for; `end` is there when a task had ended before this step (it was repeated). */
export type StartedTasks = {
  readonly tasks: readonly { readonly name: string; readonly end?: TaskEnd }[]
}

/**
 * `whole`: these tasks finish the file, nothing is left to assemble. `awaited`: fingerprints of
 * segments that other jobs of the account render now. `settled`: the file was there and the job has
 * been settled at once.
 */
export type StartedShards = StartedTasks & {
  readonly whole: boolean
  readonly awaited: readonly string[]
  readonly settled?: Settled
}

/**
 * `unread`: what the captions of a subtitle's file are is known when these tasks are done. `shards`:
 * nothing was missing and rendering has begun at once. `again`: what else is missing is asked for by the same step,
 * when these tasks are done. `behind`: the job whose media are waited for before all of it is asked for again.
 */
export type StartedGathering = StartedTasks & {
  readonly unread: boolean
  readonly again?: boolean
  readonly behind?: string
  readonly shards?: StartedShards
}

/** `endsBulk`: the job belongs to a bulk of which nothing is left to do. */
export type Settled = { readonly endsBulk: boolean }

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
