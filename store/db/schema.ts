import type { ColumnType, Generated } from 'kysely'
import type { CreditKind } from '../../core/credits.ts'
import type { Fault } from '../../core/errors.ts'
import type { JobError, JobResult, JobStage, JobState } from '../../core/jobs.ts'
import type { KeyScope } from '../../core/key-scopes.ts'
import type { NodeState } from '../../core/node-states.ts'
import type { Warning } from '../../core/project/lint/warning.ts'
import type { Priority } from '../../core/shares.ts'
import type { AttemptState, TaskState } from '../../core/task-states.ts'
import type { TaskKind } from '../../core/tasks.ts'
import type { WebhookStatus } from '../../core/webhooks/endpoint.ts'
import type { WebhookEvent } from '../../core/webhooks/envelope.ts'
import type { Jsonb } from './jsonb.ts'

/** The tables as Kysely sees them. bigint columns are read as numbers (see database.ts). */
export type Tables = {
  accounts: AccountsTable
  users: UsersTable
  sessions: SessionsTable
  refresh_tokens: RefreshTokensTable
  sign_in_failures: SignInFailuresTable
  api_keys: ApiKeysTable
  api_key_usage: ApiKeyUsageTable
  credit_entries: CreditEntriesTable
  jobs: JobsTable
  bulks: BulksTable
  artifacts: ArtifactsTable
  nodes: NodesTable
  tasks: TasksTable
  task_words: TaskWordsTable
  farm_clock: FarmClockTable
  templates: TemplatesTable
  idempotency_keys: IdempotencyKeysTable
  doomed_objects: DoomedObjectsTable
  task_shapes: TaskShapesTable
  attempts: AttemptsTable
  node_media: NodeMediaTable
  flows: FlowsTable
  pools: PoolsTable
  operator_acts: OperatorActsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}

type WrittenByDatabase = ColumnType<Date, never, Date>

export type AccountsTable = {
  id: Generated<string>
  name: string
  plan: string
  /** All that is owned, with what is held for running jobs. Spendable: balance - reserved. */
  credits_balance: Generated<number>
  credits_reserved: Generated<number>
  /** Share of the farm relative to other accounts. */
  weight: Generated<number>
  /** Slots as core/shares.ts says them; null = the plan's. */
  slots_guaranteed: number | null
  slots_burst: number | null
  /** Where alone its tasks run; null = anywhere. */
  pool: string | null
  /** What every node that takes its tasks must have. */
  node_tags: Generated<string[]>
  created_at: WrittenByDatabase
}

/** People who sign in. `email` is unique whatever its case. */
export type UsersTable = {
  id: Generated<string>
  account_id: string
  email: string
  /** argon2id, as a PHC string. */
  password: string
  first_name: Generated<string>
  last_name: Generated<string>
  email_verified: Generated<boolean>
  created_at: WrittenByDatabase
}

/** From a sign-in to its end; every refresh token of it belongs to one family. */
export type SessionsTable = {
  id: Generated<string>
  account_id: string
  user_id: string
  created_at: WrittenByDatabase
  expires_at: Date
  ended_at: Date | null
  end_reason: Generated<string>
}

export type RefreshTokensTable = {
  sha256: Buffer
  account_id: string
  session_id: string
  created_at: WrittenByDatabase
  /** Given again after this, it was stolen. */
  used_at: Date | null
}

export type SignInFailuresTable = {
  subject: Buffer
  failures: number
  window_ends: Date
}

export type ApiKeysTable = {
  id: Generated<string>
  account_id: string
  name: string
  sha256: Buffer
  prefix: string
  created_at: WrittenByDatabase
  revoked_at: Date | null
  last_used_at: Date | null
  /** What it may do; null: everything. */
  scopes: KeyScope[] | null
  expires_at: Date | null
  /** Credits that its jobs may cost in all; null: no limit but the account's. */
  credit_cap: number | null
  /** Held and captured so far; counted for keys with a cap only. */
  credits_spent: Generated<number>
}

/** Requests of a key on a day (UTC). */
export type ApiKeyUsageTable = {
  key_id: string
  account_id: string
  day: string
  requests: number
}

/** The ledger: the sums of its two columns are the account's balance and reserve, always. */
export type CreditEntriesTable = {
  id: Generated<number>
  account_id: string
  job_id: string | null
  /** Of the one hold for all jobs of a bulk; their captures and releases are their own. */
  bulk_id: string | null
  kind: CreditKind
  balance_change: number
  reserved_change: number
  note: string
  created_at: WrittenByDatabase
}

export type JobsTable = {
  id: string
  account_id: string
  /** The key that submitted it; null: someone signed in. */
  api_key_id: string | null
  state: Generated<JobState>
  /** Why the job is in its state, for the farm's people. */
  state_reason: Generated<string>
  stage: JobStage | null
  priority: Generated<Priority>
  type: 'video' | 'image'
  name: string
  /** As it was accepted; of a job in a bulk, what it has of its own (core/project/bulk.ts). */
  request: Jsonb<unknown>
  bulk_id: string | null
  /** Its item in the bulk's request, from 0. */
  bulk_index: number | null
  /** What the lints said at submission. */
  warnings: Jsonb<readonly Warning[]>
  credits_reserved: number
  credits_charged: Generated<number>
  frames_total: Generated<number>
  frames_reused: Generated<number>
  result: Jsonb<JobResult> | null
  error: Jsonb<JobError> | null
  /** When each stage was entered first, ISO 8601. */
  stages: Jsonb<Partial<Record<JobStage, string>>>
  workflow_started_at: Date | null
  /** Told of the job's end, unsigned, beside the account's endpoints. */
  webhook_url: string | null
  output_key: string | null
  thumbnail_key: string | null
  template_id: string | null
  /** The act of an Idempotency-Key that made it (see insert-job-with-hold.ts). */
  submission_id: string | null
  /** Set when it ends. */
  files_expire_at: Date | null
  files_removed_at: Date | null
  created_at: WrittenByDatabase
  started_at: Date | null
  updated_at: WrittenByDatabase
  finished_at: Date | null
}

/** An item of a bulk that was refused at its submission. */
export type RefusedItem = { readonly index: number; readonly details: readonly Fault[] }

export type BulksTable = {
  id: string
  account_id: string
  name: string
  /** The render request that its jobs have in common. */
  base: Jsonb<unknown>
  /** Items of the request, with those that were refused. */
  items: number
  refused: Jsonb<readonly RefusedItem[]>
  /** When Temporal was last known to run its workflow. */
  workflow_seen_at: Date | null
  created_at: WrittenByDatabase
}

export type ArtifactKind = 'media' | 'bake' | 'segment'

export type ArtifactsTable = {
  account_id: string
  kind: ArtifactKind
  digest: string
  object_key: string
  bytes: number
  facts: Jsonb<unknown>
  created_at: WrittenByDatabase
  last_used_at: WrittenByDatabase
}

/** What a node said it can do, as it came in Register. */
export type NodeOffer = {
  readonly kinds: readonly string[]
  readonly slots: number
  readonly encoders: readonly string[]
  readonly canvas: string
  readonly device: string
  readonly pool: string
  readonly tags: readonly string[]
  /** Absent or 0: not said, and not limited. */
  readonly memoryMb?: number
  readonly encoderSessions?: number
  /** Absent or 0: none. */
  readonly gpuMemoryMb?: number
}

export type NodesTable = {
  id: string
  name: string
  version: string
  state: NodeState
  state_reason: Generated<string>
  state_since: WrittenByDatabase
  offer: Jsonb<NodeOffer>
  /** Why it takes no work for the moment, in its own words; '' when it does. */
  pause: Generated<string>
  /** The canary it was given last, while it may answer. */
  canary_id: string | null
  /** Until when it may answer, or may not be given the next one. */
  canary_until: Date | null
  canaries_failed: Generated<number>
  registered_at: WrittenByDatabase
  last_seen_at: WrittenByDatabase
}

/** Digests of the media that a node fetched lately: its caches probably hold them. */
export type NodeMediaTable = { node_id: string; digest: string; used_at: WrittenByDatabase }

/** A limit on what runs at once in a pool, whatever its nodes offer. */
export type PoolsTable = { name: string; slots_max: number }

/** What of the account's work of one priority comes to: the finish tag of its last task. */
export type FlowsTable = { account_id: string; priority: Priority; virtual_finish: number }

/** Tasks of one kind with equal requirements go to the same nodes. */
export type TaskShapesTable = {
  id: Generated<number>
  kind: TaskKind
  requirements: Jsonb<TaskRequirements>
}

/** Who of the farm's people did what to which thing, and why. */
export type OperatorActsTable = {
  id: Generated<number>
  at: WrittenByDatabase
  actor: string
  act: string
  subject: string
  why: string
}

/**
 * What a node must have for a task, besides its kind. Sizes are taken from what the node offers for
 * as long as the task runs; `slots` is 1 where absent. The rule is the function task_lacks of the
 * database (migration 0007).
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
  /** What the canvas paints on. */
  readonly device?: string
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
  /** How often the task has been leased: the number of its latest attempt. */
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
  /** The attempt that wrote the newest one, and when that was heard. */
  preview_attempt: number | null
  previewed_at: Date | null
  /** One entry for each failed attempt; a node stands twice only when no other could try. */
  failed_nodes: Generated<string[]>
  result: Jsonb<Record<string, unknown>> | null
  error: Jsonb<TaskError> | null
  log_tail: string | null
  /** Temporal's token of the activity that waits for the task. */
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
  /** Nodes of one class are about equally fast: canvas, device and pool. */
  node_class: string
  pool: string
  cost: number
  state: Generated<AttemptState>
  frames_done: Generated<number>
  leased_at: WrittenByDatabase
  expires_at: Date
  ended_at: Date | null
  error: Jsonb<TaskError> | null
  log_tail: string | null
}

/** The final word about a task. `outputs` are the objects of the attempt that won, by name. */
export type TaskOutcome =
  | {
      readonly state: 'completed'
      readonly attempt: number
      readonly result: Record<string, unknown>
      readonly outputs: Readonly<Record<string, string>>
    }
  | { readonly state: 'failed'; readonly error: TaskError }
  | { readonly state: 'cancelled' }

/** The outbox to Temporal. A row is claimed for a while by the relay that sends it. */
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
  /** What runs at once at most; null = what the nodes offer. */
  slots_max: Generated<number | null>
  /** When a scheduler looked for lost leases last, and until when none is taken away. */
  swept_at: WrittenByDatabase
  lenient_until: WrittenByDatabase
}

export type TemplatesTable = {
  id: string
  account_id: string
  name: string
  description: Generated<string>
  /** As it was sent: with its placeholders. */
  payload: Jsonb<Record<string, unknown>>
  type: ColumnType<'video' | 'image', never, never>
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
  archived_at: Date | null
}

/** One act for each key. `status`, `content_type` and `answer` once it has been answered. */
export type IdempotencyKeysTable = {
  account_id: string
  route: string
  key: string
  /** The act: kept by whoever takes an unfinished one over. */
  id: string
  body_sha256: Buffer
  claimed_until: Date
  status: number | null
  content_type: string | null
  /** Sealed (runtime/seal.ts): an answer may hold a secret that is shown once. */
  answer: string | null
  created_at: WrittenByDatabase
}

/** Objects to be removed from the object store. */
export type DoomedObjectsTable = {
  object_key: string
  not_before: Date
}

export type WebhooksTable = {
  id: string
  account_id: string
  url: string
  events: WebhookEvent[]
  description: Generated<string>
  status: Generated<WebhookStatus>
  /** Sealed, as is the one before the last rotation. */
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
  /** Deliveries in a row that used up their attempts. */
  exhausted_in_row: Generated<number>
  /** The last time; what is older than that is not sent any more, also when it is active again. */
  disabled_at: Date | null
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
}

/**
 * `pending`: to be tried, or tried again, at `next_attempt_at`. `succeeded`: taken by its receiver.
 * `failed`: every attempt failed, or its endpoint was disabled before.
 */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** `at`: ISO 8601. `error`: null for an answer of 2xx; else a sentence for the endpoint's owner. */
export type DeliveryAttempt = {
  readonly at: string
  readonly responseCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** One event for one receiver; also the outbox from which their workflows are started. */
export type WebhookDeliveriesTable = {
  id: Generated<string>
  account_id: string
  /** Null: the one-off callback of a job, whose address is `url`. */
  webhook_id: string | null
  url: string | null
  /** Deliveries of one target share its limit: the endpoint's id, or the host of `url`. */
  target: string
  event: WebhookEvent
  job_id: string
  test: Generated<boolean>
  /** The envelope's bytes, the same for every attempt. */
  body: string
  status: Generated<DeliveryStatus>
  failed_reason: string | null
  attempts: Jsonb<readonly DeliveryAttempt[]>
  next_attempt_at: Date | null
  claimed_until: Date | null
  started_at: Date | null
  created_at: WrittenByDatabase
}
