import type { ColumnType, Generated } from 'kysely'
import type { CreditKind } from '../../core/credits.ts'
import type { Fault } from '../../core/errors.ts'
import type { JobError, JobResult, JobStage, JobState } from '../../core/jobs.ts'
import type { KeyScope } from '../../core/key-scopes.ts'
import type { Warning } from '../../core/project/lint/warning.ts'
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
  /** Finish tag of the account's last task (see enqueue-task.ts). */
  virtual_finish: Generated<number>
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
}

export type NodesTable = {
  id: string
  name: string
  version: string
  state: 'active' | 'draining'
  offer: Jsonb<NodeOffer>
  registered_at: WrittenByDatabase
  last_seen_at: WrittenByDatabase
}

export type TaskState = 'queued' | 'leased' | 'completed' | 'failed' | 'cancelled'

/** What a node must have for a task, besides its kind. */
export type TaskRequirements = {
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
  /** The fencing token: how often the task has been leased. */
  attempt: Generated<number>
  /** Who holds it, or held it last. */
  node_id: string | null
  lease_expires_at: Date | null
  virtual_start: Generated<number>
  cost: number
  frames_total: number
  frames_done: Generated<number>
  /** One entry for each failed attempt; a node stands twice only when no other could try. */
  failed_nodes: Generated<string[]>
  result: Jsonb<Record<string, unknown>> | null
  error: Jsonb<TaskError> | null
  log_tail: string | null
  /** Temporal's token of the activity that waits for the task. */
  task_token: Buffer
  created_at: WrittenByDatabase
  leased_at: Date | null
  finished_at: Date | null
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

/** One row: the start tag of the latest work taken, over the whole farm. */
export type FarmClockTable = {
  single_row: Generated<boolean>
  virtual_time: number
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
