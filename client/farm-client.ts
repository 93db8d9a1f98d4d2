/**
 * Client of a farm for programs: Node 20.3 or newer, Deno, Bun and browsers. This folder needs only
 * itself and what those platforms have: fetch, streams, Web Crypto. `render-farm/client` is this file.
 */
import { apiKeyMethods, creditMethods, type Profile } from './account.ts'
import { authoringMethods } from './authoring.ts'
import { bulkMethods } from './bulks.ts'
import { type CallOptions, createCaller, type FarmClientOptions } from './caller.ts'
import { connectionMethods } from './connections.ts'
import { webhookMethods } from './endpoints.ts'
import { jobMethods } from './jobs.ts'
import { previewMethods } from './preview.ts'
import { projectMethods } from './projects.ts'
import { quoteMethods } from './quotes.ts'
import { sessionMethods } from './sessions.ts'
import { templateMethods } from './templates.ts'
import { uploadMethods } from './uploads.ts'

export type {
  ApiKeyStats,
  CreatedApiKey,
  CreditBalance,
  CreditTransaction,
  CreditUsage,
  NewApiKey,
  Profile,
  TransactionFilter,
} from './account.ts'
export type { AccountEvent, EventOptions, JobChange } from './account-events.ts'
export type {
  AccountDelivery,
  ApiKey,
  Bulk,
  BulkItem,
  BulkRequest,
  Delivery,
  Job,
  JobDelivery,
  NewProject,
  NewTemplate,
  PreviewRequest,
  Project,
  ProjectChange,
  ProjectPatch,
  ProjectSummary,
  Quote,
  QuoteRequest,
  RenderOverrides,
  RenderPayload,
  RenderRequest,
  TemplateChange,
  TemplatePreview,
  TemplateSummary,
  Upload,
  Webhook,
} from './api-types.ts'
export type { ElementDescription, LibraryItem, LibraryKind } from './authoring.ts'
export type { AcceptedBulk, BulkPage, BulkResult, BulkRetry } from './bulks.ts'
export type { ActOptions, CallOptions, FarmClientOptions } from './caller.ts'
export type { AgentConnection, AgentConnectionChange } from './connections.ts'
export type {
  DeliveryFilter,
  NewWebhook,
  QueuedDelivery,
  WebhookChange,
  WebhookWithSecret,
} from './endpoints.ts'
export { FarmApiError, type ItemFaults, type RequestFault } from './farm-api-error.ts'
export type {
  Accepted,
  Estimate,
  ExamplePlan,
  JobExplanation,
  JobFilter,
  JobRetry,
  JobTimeline,
  Repaired,
  SentRequest,
  Verdict,
  WaitOptions,
} from './jobs.ts'
export type { Preview } from './preview.ts'
export type { ProjectFilter, ProjectVersion } from './projects.ts'
export type { NewQuote, RenderedQuote } from './quotes.ts'
export type { PasswordChange, UserSession } from './sessions.ts'
export type { Template, TemplateFilter } from './templates.ts'
export type { UploadFilter } from './uploads.ts'
export {
  type RenderCompleted,
  type RenderFailed,
  type VerifiedWebhook,
  verifyWebhook,
  WebhookRefused,
} from './webhooks.ts'

export type FarmClient = ReturnType<typeof jobMethods> &
  ReturnType<typeof previewMethods> &
  ReturnType<typeof bulkMethods> & {
    readonly authoring: ReturnType<typeof authoringMethods>
    readonly uploads: ReturnType<typeof uploadMethods>
    readonly templates: ReturnType<typeof templateMethods>
    readonly projects: ReturnType<typeof projectMethods>
    readonly quotes: ReturnType<typeof quoteMethods>
    readonly credits: ReturnType<typeof creditMethods>
    readonly apiKeys: ReturnType<typeof apiKeyMethods>
    readonly webhooks: ReturnType<typeof webhookMethods>
    readonly connections: ReturnType<typeof connectionMethods>
    readonly sessions: ReturnType<typeof sessionMethods>
    /** Returns the key's owner, and the limits of the owner's plan. */
    profile(options?: CallOptions & { readonly usage?: boolean }): Promise<Profile>
  }

/**
 * Creates a client for one account. Nothing is sent before a method is called. Every method throws
 * FarmApiError when the farm refuses or cannot be reached. Transient failures (429, 502 to 504, a
 * lost connection) are retried after the delay that the farm asks for, and no request acts twice.
 * @throws TypeError when `url` or the credential cannot be those of a farm
 */
export function createFarmClient(options: FarmClientOptions): FarmClient {
  const caller = createCaller(options)
  return {
    ...jobMethods(caller),
    ...previewMethods(caller),
    ...bulkMethods(caller),
    authoring: authoringMethods(caller),
    uploads: uploadMethods(caller),
    templates: templateMethods(caller),
    projects: projectMethods(caller),
    quotes: quoteMethods(caller),
    credits: creditMethods(caller),
    apiKeys: apiKeyMethods(caller),
    webhooks: webhookMethods(caller),
    connections: connectionMethods(caller),
    sessions: sessionMethods(caller),
    profile: ({ usage, ...options } = {}) =>
      caller.ask('GET /api/user/profile', { ...options, query: { ...(usage && { usage }) } }),
  }
}
