/** Every published operation in words: its name in generated clients, and what it does. */
export type OperationWords = {
  /** `operationId`; stays as it is, for clients are generated from it. */
  readonly id: string
  readonly summary: string
  readonly description?: string
}

const held =
  'Credits are held until the job ends; what fails or is cancelled is not charged in full.'
const signedIn = 'The same with a dashboard token.'

/** By method and path, as the document has them. */
export const operations: Readonly<Record<string, OperationWords>> = {
  'POST /api/render/api-key': {
    id: 'render',
    summary: 'Submit a render',
    description: `A film or a still, described by \`payload\` or by the id of a stored \`template\`. Answers at once; the job is then told of by its events, by webhooks, or by asking. ${held} With \`Idempotency-Key\` a submission can be sent again and is done once.`,
  },
  'POST /api/render': {
    id: 'renderSignedIn',
    summary: 'Submit a render, signed in',
    description: signedIn,
  },
  'POST /api/render/image/api-key': {
    id: 'renderImage',
    summary: 'Submit a still',
    description:
      'The same as a render whose payload has the type image, which may be left out here. A template must be one of an image.',
  },
  'POST /api/render/image': {
    id: 'renderImageSignedIn',
    summary: 'Submit a still, signed in',
    description: signedIn,
  },
  'POST /api/render/validate': {
    id: 'validateSignedIn',
    summary: 'Validate a request, signed in',
    description: signedIn,
  },
  'POST /api/render/validate/api-key': {
    id: 'validate',
    summary: 'Validate a request',
    description:
      'Names every fault by its path, or answers the resolved project, its price and its warnings. Creates nothing.',
  },
  'GET /api/render/schema/api-key': {
    id: 'getSchema',
    summary: 'The request language as JSON Schema',
  },
  'GET /api/render/schema': {
    id: 'getSchemaSignedIn',
    summary: 'The request language as JSON Schema, under its path without /api-key',
  },

  'POST /api/render/bulk/api-key': {
    id: 'renderBulk',
    summary: 'Submit many renders of one template',
    description: `One \`payload\` or \`template\`, and an item with variables and overrides for each render. An item with a fault is refused by its index; the others are rendered. ${held}`,
  },
  'POST /api/render/bulk': {
    id: 'renderBulkSignedIn',
    summary: 'Submit many renders, signed in',
    description: signedIn,
  },
  'POST /api/render/image/bulk/api-key': {
    id: 'renderImageBulk',
    summary: 'Submit many stills of one template',
    description: 'A bulk whose payload has the type image, which may be left out here.',
  },
  'POST /api/render/image/bulk': {
    id: 'renderImageBulkSignedIn',
    summary: 'Submit many stills, signed in',
    description: signedIn,
  },
  'GET /api/render/bulk': { id: 'listBulks', summary: 'List bulks' },
  'GET /api/render/bulk/{id}': {
    id: 'getBulk',
    summary: 'Progress of a bulk',
    description: 'How many of its jobs are in each state, and a page of them.',
  },
  'GET /api/render/bulk/{id}/results': {
    id: 'getBulkResults',
    summary: 'Results of a bulk, as JSON or CSV',
  },
  'POST /api/render/bulk/{id}/cancel': {
    id: 'cancelBulk',
    summary: 'Cancel a bulk',
    description: 'Ends those of its jobs that have not ended.',
  },

  'GET /api/jobs': { id: 'listJobs', summary: 'List jobs', description: 'Newest first.' },
  'GET /api/jobs/{id}': {
    id: 'getJob',
    summary: 'A job: state, progress, what it waits for, and its files',
    description:
      'Files are signed URLs that end; ask again for fresh ones. Who asks again for a job that has not ended, within a second of the last answer, is answered when it ends, and else when that second is over.',
  },
  'GET /api/jobs/{id}/events': {
    id: 'followJob',
    summary: 'Follow a job live, as server-sent events',
    description:
      'The job now and whenever it changes, until it has ended, with a small picture of the segment finished last.',
  },
  'POST /api/jobs/{id}/cancel': {
    id: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'Its nodes stop within seconds. What was painted is charged. A job that has ended stays as it is.',
  },

  'GET /api/templates': { id: 'listTemplates', summary: 'List templates' },
  'POST /api/templates': { id: 'createTemplate', summary: 'Store a template' },
  'GET /api/templates/{id}': { id: 'getTemplate', summary: 'A template' },
  'PUT /api/templates/{id}': {
    id: 'changeTemplate',
    summary: 'Change or archive a template',
    description: 'What was submitted before keeps the payload as it was then.',
  },
  'DELETE /api/templates/{id}': { id: 'deleteTemplate', summary: 'Delete a template' },
  'POST /api/templates/{id}/duplicate': {
    id: 'duplicateTemplate',
    summary: 'Copy a template under a name of its own',
  },
  'POST /api/templates/{id}/preview': {
    id: 'previewTemplate',
    summary: 'What a render of a template would be and cost',
    description: 'With these variables and overrides. Creates nothing and paints nothing.',
  },

  'GET /api/webhooks': { id: 'listWebhooks', summary: 'List webhook endpoints' },
  'POST /api/webhooks': {
    id: 'createWebhook',
    summary: 'Register a webhook endpoint',
    description: 'Its secret is shown this once.',
  },
  'GET /api/webhooks/{id}': { id: 'getWebhook', summary: 'A webhook endpoint' },
  'PUT /api/webhooks/{id}': {
    id: 'changeWebhook',
    summary: 'Change, disable or enable a webhook endpoint',
  },
  'DELETE /api/webhooks/{id}': {
    id: 'deleteWebhook',
    summary: 'Delete a webhook endpoint and its log',
  },
  'POST /api/webhooks/{id}/rotate-secret': {
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret of an endpoint',
    description: 'The new one is shown this once; the old one signs on for 24 hours.',
  },
  'GET /api/webhooks/{id}/deliveries': {
    id: 'listDeliveries',
    summary: 'Deliveries to an endpoint, with their attempts',
    description: 'Newest first, kept for 30 days.',
  },
  'POST /api/webhooks/{id}/test': { id: 'testWebhook', summary: 'Send a test event' },
  'POST /api/webhooks/deliveries/{id}/redeliver': {
    id: 'redeliver',
    summary: 'Send a delivery again',
    description: 'The same bytes under a new id, once the first has ended.',
  },

  'GET /api/user/profile': {
    id: 'getProfile',
    summary: 'Who the caller is: account, plan, limits',
  },
  'GET /api/credits/balance': { id: 'getBalance', summary: 'Credits owned, held and left' },
  'GET /api/credits/transactions': {
    id: 'listTransactions',
    summary: 'The ledger: grants, holds, captures and releases',
  },
  'GET /api/credits/usage-stats': { id: 'getUsage', summary: 'Jobs, credits and seconds by day' },
  'POST /api/credits/estimate': {
    id: 'estimate',
    summary: 'What a render would cost',
    description: 'Creates nothing.',
  },

  'GET /api/api-keys': { id: 'listKeys', summary: 'List API keys' },
  'POST /api/api-keys': {
    id: 'createKey',
    summary: 'Make an API key',
    description: 'Shown this once. May have scopes, an end, and a cap of credits.',
  },
  'PUT /api/api-keys/{id}': { id: 'renameKey', summary: 'Rename an API key' },
  'DELETE /api/api-keys/{id}': {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'From now on, everywhere.',
  },
  'GET /api/api-keys/{id}/stats': { id: 'getKeyUsage', summary: 'Use of an API key by day' },

  'POST /api/auth/sign-in': { id: 'signIn', summary: 'Sign in with email and password' },
  'POST /api/auth/refresh': {
    id: 'refreshTokens',
    summary: 'Change a refresh token for a new pair',
    description: 'Good once: one that is used twice ends the session.',
  },
  'POST /api/auth/sign-out': { id: 'signOut', summary: 'End the session' },

  'GET /healthz': { id: 'getHealth', summary: 'Whether the process answers' },
  'GET /readyz': { id: 'getReadiness', summary: 'Whether it can take submissions' },
}

/** The rooms of the reference, in the order in which one meets them. */
export const tags = [
  { name: 'render', description: 'Films and stills from a JSON description.' },
  { name: 'jobs', description: 'What became of a submission.' },
  { name: 'bulk', description: 'One template, up to hundreds of renders in a request.' },
  { name: 'templates', description: 'Payloads stored under an id.' },
  { name: 'webhooks', description: 'Where the farm tells that a job has ended, signed.' },
  { name: 'account', description: 'Plan, limits and credits.' },
  { name: 'api keys', description: 'Who may call in the name of an account, and what they used.' },
  { name: 'auth', description: 'For the dashboard.' },
  { name: 'service', description: 'For those who run it.' },
] as const
