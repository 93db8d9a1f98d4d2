import type { Log } from '../../runtime/log.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import type { Db } from '../../store/db/database.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { BulkRenderInput, RenderGroupInput } from '../contract.ts'
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
