import type { ColumnType, Generated } from 'kysely'
import type { AgentProfile } from '../../core/accounts/agent-profiles.ts'
import type { CreditKind } from '../../core/accounts/credits.ts'
import type { KeyScope } from '../../core/accounts/key-scopes.ts'
import type { Fault } from '../../core/errors.ts'
import type { JobError, JobPreview, JobResult, JobStage, JobState } from '../../core/jobs/jobs.ts'
import type { FilmFormat } from '../../core/plan/formats.ts'
import type { Warning } from '../../core/project/lint/warning.ts'
import type { Priority } from '../../core/queue/shares.ts'
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
import type {
  OperatorRefreshTokensTable,
  OperatorSessionsTable,
  OperatorSignInCodesTable,
  OperatorsTable,
} from './operators-schema.ts'

/** The tables as Kysely sees them. bigint columns are read as numbers (see database.ts). */
export type Tables = {
  accounts: AccountsTable
  users: UsersTable
  sessions: SessionsTable
  refresh_tokens: RefreshTokensTable
  sign_in_codes: SignInCodesTable
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
  uploads: UploadsTable
  projects: ProjectsTable
  project_versions: ProjectVersionsTable
  quotes: QuotesTable
  idempotency_keys: IdempotencyKeysTable
  doomed_objects: DoomedObjectsTable
  task_shapes: TaskShapesTable
  attempts: AttemptsTable
  node_media: NodeMediaTable
  flows: FlowsTable
  pools: PoolsTable
  node_certificates: NodeCertificatesTable
  operator_acts: OperatorActsTable
  operators: OperatorsTable
  operator_sessions: OperatorSessionsTable
  operator_refresh_tokens: OperatorRefreshTokensTable
  operator_sign_in_codes: OperatorSignInCodesTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  agent_grants: AgentGrantsTable
  oauth_clients: OAuthClientsTable
  oauth_tokens: OAuthTokensTable
}

export type AccountsTable = {
  id: Generated<string>
  name: string
  plan: string
  /**
   * All credits of the account, including those held for running jobs. Spendable: balance -
   * reserved.
   */
  credits_balance: Generated<number>
  credits_reserved: Generated<number>
  /** Share of the farm relative to other accounts. */
  weight: Generated<number>
  /** Slots as in core/queue/shares.ts; null = the plan's. */
  slots_guaranteed: number | null
  slots_burst: number | null
  /** The only pool in which its tasks run; null = anywhere. */
  pool: string | null
  /** Tags that every node must have to take its tasks. */
  node_tags: Generated<string[]>
  created_at: WrittenByDatabase
  /** Null: its credentials are accepted. */
  suspended_at: Date | null
  /** A closed account is suspended, too. */
  closed_at: Date | null
  /** New jobs are refused until then: its budget is spent. */
  budget_spent_until: Date | null
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

/** A sign-in, until its end; all its refresh tokens form one family. */
export type SessionsTable = {
  id: Generated<string>
  account_id: string
  user_id: string
  created_at: WrittenByDatabase
  expires_at: Date
  ended_at: Date | null
  end_reason: Generated<string>
  user_agent: Generated<string>
  /** Sign-in or last refresh. */
  last_used_at: WrittenByDatabase
}

export type RefreshTokensTable = {
  sha256: Buffer
  account_id: string
  session_id: string
  created_at: WrittenByDatabase
  /** Time of its use; another one, more than moments later, means that it was stolen. */
  used_at: Date | null
  /** User agent that used it. */
  used_by: string | null
  /** The token that followed it, sealed under this one. */
  successor: string | null
}

/** Codes that sign their user in once, on the machine of the farm. */
export type SignInCodesTable = {
  sha256: Buffer
  account_id: string
  user_id: string
  expires_at: Date
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
  /** Scopes of the key; null: everything. */
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
  /** Bulk whose jobs the one hold covers; their captures and releases name the job. */
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
  /** The key that submitted it; null: a signed-in user. */
  api_key_id: string | null
  /** The connected agent that submitted it; null: none. */
  agent_grant_id: string | null
  state: Generated<JobState>
  /** Reason for the job's state, for operators. */
  state_reason: Generated<string>
  stage: JobStage | null
  priority: Generated<Priority>
  type: 'video' | 'image'
  name: string
  /** The accepted request; for a job of a bulk, only its own part (core/project/bulk.ts). */
  request: Jsonb<unknown>
  bulk_id: string | null
  /** Its item in the bulk's request, from 0. */
  bulk_index: number | null
  /** Warnings of the lints at submission. */
  warnings: Jsonb<readonly Warning[]>
  credits_reserved: number
  credits_charged: Generated<number>
  frames_total: Generated<number>
  frames_reused: Generated<number>
  frames_painted: Generated<number>
  /** Format of a film's file; null until it is planned. */
  film_format: FilmFormat | null
  /** Fingerprints that it left to other jobs when it was planned last. */
  awaited_segments: Generated<string[]>
  result: Jsonb<JobResult> | null
  error: Jsonb<JobError> | null
  /** Time of first entry into each stage, ISO 8601. */
  stages: Jsonb<Partial<Record<JobStage, string>>>
  workflow_started_at: Date | null
  /** The workflow that it shares with others of its bulk; null: it has one of its own. */
  workflow_group: Generated<string | null>
  /** Address that receives the job's end, unsigned, beside the account's endpoints. */
  webhook_url: string | null
  output_key: string | null
  thumbnail_key: string | null
  template_id: string | null
  /** The act of an Idempotency-Key that created it. */
  submission_id: string | null
  /** Set: it paints a preview, and its account sees no job (migration 0035). */
  preview: Jsonb<JobPreview> | null
  /** Set when it ends. */
  files_expire_at: Date | null
  files_removed_at: Date | null
  created_at: WrittenByDatabase
  started_at: Date | null
  updated_at: WrittenByDatabase
  finished_at: Date | null
  /** Nothing of it has started since then; null: it is not held. */
  held_at: Date | null
  /** Reason of the operator who holds it. */
  hold_reason: Generated<string>
  /** End of its latest hold. */
  resumed_at: Date | null
}

/** An item of a bulk that was refused at its submission. */
export type RefusedItem = { readonly index: number; readonly details: readonly Fault[] }

export type BulksTable = {
  id: string
  account_id: string
  name: string
  /** The part of the render request that its jobs share. */
  base: Jsonb<unknown>
  /** Items of the request, including the refused ones. */
  items: number
  refused: Jsonb<readonly RefusedItem[]>
  /** Time when Temporal was last known to run its workflow. */
  workflow_seen_at: Date | null
  /** The connected agent that submitted it; null: none. */
  agent_grant_id: string | null
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

/** The medium that a URL led to when it was last fetched. */
export type FetchedMediaTable = {
  account_id: string
  /** Hex sha256 of the URL. */
  url_digest: string
  expect: string
  digest: string
  facts: Jsonb<unknown>
  etag: string | null
  last_modified: string | null
  /** Time when the task that fetched it was queued. */
  asked_at: Date
  fresh_until: Date
}

/** The job that renders a segment now. */
export type SegmentClaimsTable = { account_id: string; fingerprint: string; job_id: string }

export type TemplatesTable = {
  id: string
  account_id: string
  name: string
  description: Generated<string>
  /** Payload as it was sent, with its placeholders. */
  payload: Jsonb<Record<string, unknown>>
  type: ColumnType<'video' | 'image', never, never>
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
  archived_at: Date | null
}

/** Media that customers upload. */
export type UploadsTable = {
  id: string
  account_id: string
  object_key: string
  /** Hex sha256; null until the bytes are known. */
  digest: string | null
  bytes: number
  kind: 'image' | 'video' | 'audio'
  media_type: string
  name: string
  created_at: WrittenByDatabase
  /** Null: under way, or broken off. */
  stored_at: Date | null
  deleted_at: Date | null
}

/** Drafts, valid or not. */
export type ProjectsTable = {
  id: string
  account_id: string
  /** In clear, of an older version of the farm. */
  name: string | null
  sealed_name: string | null
  /** In clear, of an older version of the farm; then `sealed` is null. */
  payload: Jsonb<Record<string, unknown>> | null
  sealed: Buffer | null
  seal_key: string | null
  /** Generated: the payload's own, where it is in clear. */
  type: ColumnType<'video' | 'image', never, never>
  sealed_type: 'video' | 'image' | null
  version: Generated<number>
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
}

/** Earlier versions of drafts. */
export type ProjectVersionsTable = {
  project_id: string
  version: number
  account_id: string
  /** In clear, of an older version of the farm. */
  name: string | null
  sealed_name: string | null
  /** In clear, of an older version of the farm; then `sealed` is null. */
  payload: Jsonb<Record<string, unknown>> | null
  sealed: Buffer | null
  seal_key: string | null
  updated_at: Date
}

/** Prices that are kept for one job or bulk each. `act_id`: the job's id, or the seed of the bulk's. */
export type QuotesTable = {
  id: string
  account_id: string
  act_id: string
  bulk_id: string | null
  /** In clear, of an older version of the farm; then `sealed` is null. */
  request: Jsonb<Record<string, unknown>> | null
  sealed: Buffer | null
  seal_key: string | null
  /** Connection of the agent that asked for it. */
  agent_grant_id: string | null
  template_id: string | null
  project_id: string | null
  credits: number
  credits_most: number
  exact: boolean
  seconds: number
  created_at: WrittenByDatabase
  expires_at: Date
}

/**
 * One act for each key. `status`, `content_type` and `answer` are set once it has been answered.
 */
export type IdempotencyKeysTable = {
  account_id: string
  route: string
  key: string
  /** The act: kept by a request that takes an unfinished one over. */
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
  /** Public id; null: the endpoint predates such ids, and shows `id`. */
  public_id: string | null
  account_id: string
  url: string
  events: WebhookEvent[]
  description: Generated<string>
  status: Generated<WebhookStatus>
  /** Sealed, as is the previous one. */
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
  /** Deliveries in a row that used up their attempts. */
  exhausted_in_row: Generated<number>
  /**
   * Time when it was last disabled; older deliveries are never sent, even after it is active again.
   */
  disabled_at: Date | null
  created_at: WrittenByDatabase
  updated_at: WrittenByDatabase
}

/**
 * `pending`: to be tried or retried at `next_attempt_at`. `succeeded`: accepted by its receiver.
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

/** One event for one receiver; also the outbox from which delivery workflows are started. */
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
  /** The latest delivery by which a failed one was sent again. */
  redelivered_as: string | null
}

/** A user's consent that an agent acts for the account, within a profile and caps. */
export type AgentGrantsTable = {
  id: Generated<string>
  account_id: string
  user_id: string
  client_id: string
  /** As the client calls itself. */
  client_name: string
  redirect_host: string
  profile: AgentProfile
  render_cap: Generated<number>
  /** Credits that its jobs may cost in all; null: no limit but the account's. */
  total_cap: number | null
  bulk_cap: Generated<number>
  /** Held and captured so far. */
  credits_spent: Generated<number>
  created_at: WrittenByDatabase
  last_used_at: Date | null
  /** End of its newest refresh token. */
  expires_at: Date
  revoked_at: Date | null
  revoke_reason: Generated<string>
}

/** A client that registered itself. Its id is known by the sha256 alone. */
export type OAuthClientsTable = {
  id_sha256: Buffer
  metadata: Jsonb<Record<string, unknown>>
  /** Sealed (runtime/seal.ts). */
  secret: string | null
  created_from: string
  created_at: WrittenByDatabase
  last_used_at: Date | null
}

export type OAuthTokenKind = 'code' | 'access' | 'refresh' | 'interaction'

export type OAuthTokensTable = {
  sha256: Buffer
  kind: OAuthTokenKind
  grant_id: string | null
  /** Sealed under the token, as its successor is. */
  payload: string
  successor: string | null
  created_at: WrittenByDatabase
  expires_at: Date
  consumed_at: Date | null
}
