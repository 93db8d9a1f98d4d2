import type { ColumnType, Generated } from 'kysely'
import type { CreditKind } from '../../core/credits.ts'
import type { Fault } from '../../core/errors.ts'
import type { JobError, JobResult, JobStage, JobState } from '../../core/jobs.ts'
import type { KeyScope } from '../../core/key-scopes.ts'
import type { Warning } from '../../core/project/lint/warning.ts'
import type { Priority } from '../../core/shares.ts'
import type { WebhookStatus } from '../../core/webhooks/endpoint.ts'
import type { WebhookEvent } from '../../core/webhooks/envelope.ts'
import type {
  AttemptsTable,
  FarmClockTable,
  FlowsTable,
  NodeCertificatesTable,
  NodeMediaTable,
  NodesTable,
  OperatorActsTable,
  PoolsTable,
  TaskShapesTable,
  TasksTable,
  TaskWordsTable,
  WrittenByDatabase,
} from './fleet-schema.ts'
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
  fetched_media: FetchedMediaTable
  segment_claims: SegmentClaimsTable
  nodes: NodesTable
  tasks: TasksTable
  task_words: TaskWordsTable
  farm_clock: FarmClockTable
  templates: TemplatesTable
  projects: ProjectsTable
  idempotency_keys: IdempotencyKeysTable
  doomed_objects: DoomedObjectsTable
  task_shapes: TaskShapesTable
  attempts: AttemptsTable
  node_media: NodeMediaTable
  flows: FlowsTable
  pools: PoolsTable
  node_certificates: NodeCertificatesTable
  operator_acts: OperatorActsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
}

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
  /** Null: its credentials are good. */
  suspended_at: Date | null
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
  frames_painted: Generated<number>
  /** Fingerprints that it left to other jobs when it was planned last. */
  awaited_segments: Generated<string[]>
  result: Jsonb<JobResult> | null
  error: Jsonb<JobError> | null
  /** When each stage was entered first, ISO 8601. */
  stages: Jsonb<Partial<Record<JobStage, string>>>
  workflow_started_at: Date | null
  /** The workflow that it shares with others of its bulk; null: it has one of its own. */
  workflow_group: Generated<string | null>
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

export type ArtifactKind = 'media' | 'bake' | 'segment' | 'sound' | 'output' | 'thumbnail'

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

/** What a URL led to when it was last fetched. */
export type FetchedMediaTable = {
  account_id: string
  /** Hex sha256 of the URL. */
  url_digest: string
  expect: string
  digest: string
  facts: Jsonb<unknown>
  etag: string | null
  last_modified: string | null
  /** When the job that fetched it was submitted. */
  asked_at: Date
  fresh_until: Date
}

/** Which job renders a segment now. */
export type SegmentClaimsTable = { account_id: string; fingerprint: string; job_id: string }

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

/** Drafts, whatever is wrong with their payload. */
export type ProjectsTable = {
  id: string
  account_id: string
  name: string
  payload: Jsonb<Record<string, unknown>>
  type: ColumnType<'video' | 'image', never, never>
  version: Generated<number>
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
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
  /** The id that it shows; null: it was made before there were such ids, and shows `id`. */
  public_id: string | null
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
