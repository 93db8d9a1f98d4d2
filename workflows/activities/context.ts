import type { Log } from '../../runtime/log.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import type { Db } from '../../store/db/database.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { BulkRenderInput, RenderGroupInput, TaskEnd } from '../contract.ts'
import type { WorkflowsMetrics } from '../metrics.ts'
import type { BatchedQueries } from './batched-queries.ts'

/** Dependencies of the activities. */
export type ActivityBase = {
  readonly db: Db
  readonly objects: ObjectStore
  readonly log: Log
  readonly metrics: WorkflowsMetrics
  readonly tracing: Tracing
  /** Hosts that the api accepts although the media URL rule refuses them. */
  readonly trustedHosts: readonly string[]
  /** Starts the workflow that jobs of a bulk share. */
  readonly startGroup: (group: RenderGroupInput) => Promise<void>
}

/** Dependencies of a job's stages. */
export type ActivityContext = ActivityBase & {
  /** Database queries that are batched over many jobs. */
  readonly queries: BatchedQueries
  /** Starts the next jobs of a bulk after one has ended; answers how many have not ended. */
  readonly fillBulk: (bulk: BulkRenderInput) => Promise<{ open: number }>
}

/**
 * Tasks to wait for; `end` is set when a task had ended before this step, which was then repeated.
 */
export type StartedTasks = {
  readonly tasks: readonly { readonly name: string; readonly end?: TaskEnd }[]
}

/**
 * `whole`: these tasks finish the file, and nothing is left to assemble.
 * `awaited`: fingerprints of segments that other jobs of the account render now.
 * `settled`: the store had the file, and the job is settled already.
 */
export type StartedShards = StartedTasks & {
  readonly whole: boolean
  readonly awaited: readonly string[]
  readonly settled?: Settled
}

/**
 * `unread`: the captions of a subtitle file are known only when these tasks are done.
 * `shards`: nothing was missing, and rendering has begun already.
 * `again`: the same step is repeated when these tasks are done, and queues the rest.
 * `behind`: the job whose media are awaited before the step is repeated.
 */
export type StartedPreparation = StartedTasks & {
  readonly unread: boolean
  readonly again?: boolean
  readonly behind?: string
  readonly shards?: StartedShards
}

/** `endsBulk`: nothing is left to do for the job's bulk. */
export type Settled = { readonly endsBulk: boolean }

/** `details` and `code` come from a failure and are checked before they are stored. */
export type JobEnd =
  | { readonly to: 'completed' }
  | { readonly to: 'cancelled' }
  | {
      readonly to: 'failed'
      readonly code: string
      readonly message?: string
      readonly details?: unknown
    }
