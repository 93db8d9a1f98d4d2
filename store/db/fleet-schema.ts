import type { ColumnType, Generated } from 'kysely'
import type { NodeState } from '../../core/fleet/node-states.ts'
import type { Priority } from '../../core/queue/shares.ts'
import type { AttemptState, TaskState } from '../../core/queue/task-states.ts'
import type { TaskKind } from '../../core/queue/tasks.ts'
import type { Jsonb } from './jsonb.ts'

/** Rows of the queue and of the fleet; the customers' rows are in schema.ts. */

export type WrittenByDatabase = ColumnType<Date, never, Date>

/** Capabilities of a node, as it sent them in Register. */
export type NodeOffer = {
  readonly kinds: readonly string[]
  readonly slots: number
  readonly encoders: readonly string[]
  readonly canvas: string
  readonly device: string
  readonly pool: string
  readonly tags: readonly string[]
  /** Absent or 0: not reported, and not limited. */
  readonly memoryMb?: number
  readonly encoderSessions?: number
  /** Absent or 0: none. */
  readonly gpuMemoryMb?: number
  /** Segments it paints and encodes at once. Absent or 0: not said. */
  readonly lanes?: number
  /** Version of its engine (core/engine.ts). The database copies it from the node's version. */
  readonly engine?: string
}

/** Use of a node's machine, as it told it last. Sizes in MB (2^20 bytes). */
export type NodeUsage = {
  /** Busy share of the processor, 0 to 1. */
  readonly cpu: number
  readonly memoryUsedMb: number
  readonly memoryMb: number
  readonly diskUsedMb: number
  readonly diskMb: number
}

export type NodesTable = {
  id: string
  name: string
  version: string
  state: NodeState
  state_reason: Generated<string>
  state_since: WrittenByDatabase
  offer: Jsonb<NodeOffer>
  /** Reason for taking no work for the moment, as the node gave it; '' when it takes work. */
  pause: Generated<string>
  /** The canary it was given last, while it may answer. */
  canary_id: string | null
  /** Time until which it may answer, or may not be given the next one. */
  canary_until: Date | null
  canaries_failed: Generated<number>
  /** Null: a node of an older version. */
  usage: Jsonb<NodeUsage> | null
  registered_at: WrittenByDatabase
  last_seen_at: WrittenByDatabase
}

/** Digests of the media that a node fetched lately: its caches probably hold them. */
export type NodeMediaTable = { node_id: string; digest: string; used_at: WrittenByDatabase }

/** A certificate that a node may show, with the token that goes with it. */
export type NodeCertificatesTable = {
  /** Hex sha256 of its DER form. */
  fingerprint: string
  node_id: string
  node_name: string
  /** Hex sha256. */
  token_hash: string
  issued_at: WrittenByDatabase
  expires_at: Date
  revoked_at: Date | null
  revoked_why: string | null
  /** Pool that binds an enrolled node; null for certificates that were made by hand. */
  pool: string | null
  enrolled_as: 'pod' | 'machine' | null
}

/** A limit on the slots that run at once in a pool, whatever its nodes offer. */
export type PoolsTable = { name: string; slots_max: number }

/** Finish tag of the last task of an account's work of one priority. */
export type FlowsTable = { account_id: string; priority: Priority; virtual_finish: number }

/** Tasks of one kind with equal requirements go to the same nodes. */
export type TaskShapesTable = {
  id: Generated<number>
  kind: TaskKind
  requirements: Jsonb<TaskRequirements>
}

/** Audit log: acts of operators, or of the farm itself, with subject and reason. */
export type OperatorActsTable = {
  id: Generated<number>
  at: WrittenByDatabase
  actor: string
  act: string
  subject: string
  why: string
}

/**
 * Requirements of a task on its node, besides its kind. Sizes are taken from the node's offer while
 * the task runs; `slots` is 1 when absent. The rule is the database function task_lacks (migration
 * 0066).
 */
export type TaskRequirements = {
  readonly pool?: string
  readonly tags?: readonly string[]
  readonly slots?: number
  readonly memoryMb?: number
  readonly gpuMemoryMb?: number
  readonly encoderSessions?: number
  readonly encoder?: string
  readonly soundEncoder?: string
  readonly canvas?: string
  /** Device that the canvas paints on. */
  readonly device?: string
  /** Engine whose plan or documents it works at (core/engine.ts); absent: any node's. */
  readonly engine?: string
}

export type TaskInput = { readonly name: string; readonly key: string }

export type TaskError = {
  readonly code: string
  readonly message: string
  readonly field?: string
}

export type TasksTable = {
  id: Generated<string>
  job_id: string
  account_id: string
  name: string
  kind: TaskKind
  spec: Jsonb<Record<string, unknown>>
  inputs: Jsonb<readonly TaskInput[]>
  outputs: Jsonb<readonly string[]>
  requirements: Jsonb<TaskRequirements>
  state: Generated<TaskState>
  /** Number of leases so far, which is the number of the latest attempt. */
  attempt: Generated<number>
  /** The attempt whose objects and result count, once it is completed. */
  won_attempt: number | null
  shape_id: number
  /** Digests of the media it reads, the first few. */
  media: Generated<string[]>
  virtual_start: Generated<number>
  cost: number
  frames_total: number
  frames_done: Generated<number>
  /** Pictures of finished segments that an attempt has written over its object `preview`. */
  previews: Generated<number>
  /** The attempt that wrote the newest one, and when it was reported. */
  preview_attempt: number | null
  previewed_at: Date | null
  /** Segments that a player waits for, as long as `wanted_until` has not passed. */
  wanted: Generated<number[]>
  wanted_until: Date | null
  /** Start tag before players moved the queued task; null: they have not. */
  own_start: number | null
  /** One entry for each failed attempt; a node appears twice only when no other could try. */
  failed_nodes: Generated<string[]>
  /** Latest attempt when an operator retried it: failures up to it count no more. */
  retried_after: Generated<number>
  /** Earliest time of its next lease while it is queued; null: at once. */
  not_before: Date | null
  result: Jsonb<Record<string, unknown>> | null
  error: Jsonb<TaskError> | null
  log_tail: string | null
  /** Token that leads the task's end back to its workflow. */
  task_token: Buffer
  created_at: WrittenByDatabase
  finished_at: Date | null
}

/** One lease of a task; its number is the fencing token. It runs until `ended_at`. */
export type AttemptsTable = {
  task_id: string
  attempt: number
  job_id: string
  account_id: string
  shape_id: number
  node_id: string
  /** Class of its node: nodes with the same canvas, device and pool are about equally fast. */
  node_class: string
  pool: string
  cost: number
  state: Generated<AttemptState>
  frames_done: Generated<number>
  /** Outputs that it has reported as stored, while it runs. */
  written: Generated<string[]>
  leased_at: WrittenByDatabase
  expires_at: Date
  ended_at: Date | null
  error: Jsonb<TaskError> | null
  log_tail: string | null
}

/** The final outcome of a task. `outputs`: objects of the attempt that won, by name. */
export type TaskOutcome =
  | {
      readonly state: 'completed'
      readonly attempt: number
      readonly result: Record<string, unknown>
      readonly outputs: Readonly<Record<string, string>>
    }
  | { readonly state: 'failed'; readonly error: TaskError }
  | { readonly state: 'cancelled' }

/** The outbox to Temporal. A relay claims a row for a while and sends it. */
export type TaskWordsTable = {
  id: Generated<number>
  task_id: string
  token: Buffer
  outcome: Jsonb<TaskOutcome>
  created_at: WrittenByDatabase
  claimed_until: Date | null
  sent_at: Date | null
}

/** One row for the whole farm. */
export type FarmClockTable = {
  single_row: Generated<boolean>
  /** The start tag of the latest work taken. */
  virtual_time: number
  /** Limit of the slots that run at once; null = all that the nodes offer. */
  slots_max: Generated<number | null>
  /**
   * Time of the schedulers' last look for lost leases, and the time until which none is taken away.
   */
  swept_at: WrittenByDatabase
  lenient_until: WrittenByDatabase
}
