/** Texts of every published operation: its name in generated clients, and its description. */
export type OperationWords = {
  /** `operationId`; never changes, because clients are generated from it. */
  readonly id: string
  readonly summary: string
  readonly description: string
}

const held =
  'Credits are held until the job ends; what fails or is cancelled is not charged in full.'
const signedIn = 'The same with a dashboard token.'
const sameAnswer = 'The same answer as under its path with /api-key.'

/** Operations by method and path, as in the document. */
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
    description:
      'JSON Schema 2020-12 of a render request, or of the project alone, for editors and validators.',
  },
  'GET /api/render/schema': {
    id: 'getSchemaSignedIn',
    summary: 'The request language as JSON Schema, under its path without /api-key',
    description: 'The same schema.',
  },

  'POST /api/render/repair/api-key': {
    id: 'repair',
    summary: 'Repair a payload',
    description:
      'Mends what can be meant in one way only: numbers out of range, case and spelling, numbers and flags in quotes, times the wrong way round, properties that there are not. Each change says why. Nothing is made up; what remains stands in remainingErrors.',
  },
  'POST /api/render/repair': {
    id: 'repairSignedIn',
    summary: 'Repair a payload, signed in',
    description: signedIn,
  },
  'POST /api/render/creative-plan/api-key': {
    id: 'planFromExamples',
    summary: 'Choose an example for a brief',
    description:
      'Compares the words of the brief with the library’s examples and answers the nearest one, with others, its scenes, its variables and its price. No model is asked; fields that such a choice cannot heed stand in notUsed. Creates nothing.',
  },
  'POST /api/render/creative-plan': {
    id: 'planFromExamplesSignedIn',
    summary: 'Choose an example for a brief, signed in',
    description: signedIn,
  },
  'GET /api/render/elements/api-key': {
    id: 'listElements',
    summary: 'The elements of a project',
    description: 'Each with its fields, their rules in words, and an example. Open to anyone.',
  },
  'GET /api/render/elements': {
    id: 'listElementsSignedIn',
    summary: 'The elements of a project, under their path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/elements/{type}/api-key': {
    id: 'getElement',
    summary: 'One element of a project',
    description: 'IMAGE, GIF, VIDEO, TEXT, SVG, AUDIO, SUBTITLE or SCENE, in any case.',
  },
  'GET /api/render/elements/{type}': {
    id: 'getElementSignedIn',
    summary: 'One element of a project, under its path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/examples/api-key': {
    id: 'listExamples',
    summary: 'Small requests to begin with',
    description: 'Each can be submitted as it stands. Larger ones are in the library.',
  },
  'GET /api/render/examples': {
    id: 'listExamplesSignedIn',
    summary: 'Small requests to begin with, under their path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/examples/{name}/api-key': {
    id: 'getExample',
    summary: 'One request to begin with',
    description: 'By the name that the list gives.',
  },
  'GET /api/render/examples/{name}': {
    id: 'getExampleSignedIn',
    summary: 'One request to begin with, under its path without /api-key',
    description: sameAnswer,
  },
  'GET /api/library/{kind}': {
    id: 'listLibrary',
    summary: 'The library: examples, design templates, canvas presets or shapes',
    description:
      'Whole projects, TEXT visuals, resolutions and SVG visuals of the farm’s own, each with a small picture. Open to anyone.',
  },
  'GET /api/library/{kind}/{slug}': {
    id: 'getLibraryItem',
    summary: 'An item of the library',
    description: 'Without its content.',
  },
  'GET /api/library/{kind}/{slug}/content': {
    id: 'getLibraryContent',
    summary: 'The content of an item of the library',
    description:
      'A project for examples, a visual for design templates and shapes, settings for presets.',
  },
  'GET /api/stock/providers': {
    id: 'listStockProviders',
    summary: 'Providers of stock media',
    description: 'None: a farm has no stock media. Here for programs that ask first.',
  },
  'GET /api/stock/search': {
    id: 'searchStock',
    summary: 'Search stock media',
    description: 'Finds nothing, as no provider is configured, and is never an error for that.',
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
  'GET /api/render/bulk': {
    id: 'listBulks',
    summary: 'List bulks',
    description: 'Newest first, each with the number of its jobs in each state.',
  },
  'GET /api/render/bulk/{id}': {
    id: 'getBulk',
    summary: 'Progress of a bulk',
    description: 'How many of its jobs are in each state, and a page of them.',
  },
  'GET /api/render/bulk/{id}/results': {
    id: 'getBulkResults',
    summary: 'Results of a bulk, as JSON or CSV',
    description:
      'One row for each item: its job, its file, or its fault. `format=csv` answers a table for spreadsheets.',
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
      'Files are signed URLs that end; ask again for fresh ones. Polling the same unfinished job more than once a second long-polls: the reply comes when the job ends, or after one second.',
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

  'GET /api/templates': {
    id: 'listTemplates',
    summary: 'List templates',
    description: 'Newest first, without payloads. `search` looks through names and descriptions.',
  },
  'POST /api/templates': {
    id: 'createTemplate',
    summary: 'Store a template',
    description:
      'Stores a payload under an id that render requests can name. Scenes of a film must have a duration.',
  },
  'GET /api/templates/{id}': {
    id: 'getTemplate',
    summary: 'A template',
    description: 'With its payload.',
  },
  'PUT /api/templates/{id}': {
    id: 'changeTemplate',
    summary: 'Change or archive a template',
    description: 'What was submitted before keeps the payload as it was then.',
  },
  'DELETE /api/templates/{id}': {
    id: 'deleteTemplate',
    summary: 'Delete a template',
    description: 'Jobs that were submitted with it keep their copy of the payload.',
  },
  'POST /api/templates/{id}/duplicate': {
    id: 'duplicateTemplate',
    summary: 'Copy a template under a name of its own',
    description: 'The copy has an id of its own and a name that says so.',
  },
  'POST /api/templates/{id}/preview': {
    id: 'previewTemplate',
    summary: 'What a render of a template would be and cost',
    description: 'With these variables and overrides. Creates nothing and paints nothing.',
  },

  'GET /api/projects': {
    id: 'listProjects',
    summary: 'List projects',
    description: 'Newest first, without their payloads.',
  },
  'POST /api/projects': {
    id: 'createProject',
    summary: 'Store a project',
    description:
      'A draft. Its payload may have faults, which the answer names; nothing is rendered but by a submission.',
  },
  'GET /api/projects/{id}': {
    id: 'getProject',
    summary: 'A project, with what is wrong with it',
    description: 'Judged anew under the plan of the account.',
  },
  'PUT /api/projects/{id}': {
    id: 'changeProject',
    summary: 'Change the name or the payload of a project',
    description: 'Its version is one more then.',
  },
  'DELETE /api/projects/{id}': {
    id: 'deleteProject',
    summary: 'Delete a project',
    description: 'For good. Jobs that were made of its payload stay.',
  },

  'GET /api/webhooks': {
    id: 'listWebhooks',
    summary: 'List webhook endpoints',
    description: 'All endpoints of the account, and how many its plan allows.',
  },
  'POST /api/webhooks': {
    id: 'createWebhook',
    summary: 'Register a webhook endpoint',
    description:
      'Its secret is shown this once. `warnings` tells of another endpoint that is sent the same events at the same `url`.',
  },
  'GET /api/webhooks/{id}': {
    id: 'getWebhook',
    summary: 'A webhook endpoint',
    description: 'Without its secret, which only its creation and `rotate-secret` show.',
  },
  'PUT /api/webhooks/{id}': {
    id: 'changeWebhook',
    summary: 'Change, disable or enable a webhook endpoint',
    description:
      'Changes only the fields that are sent. Enabling an endpoint starts its count of failures anew.',
  },
  'DELETE /api/webhooks/{id}': {
    id: 'deleteWebhook',
    summary: 'Delete a webhook endpoint and its log',
    description: 'Nothing more is sent to it, and its log is removed.',
  },
  'POST /api/webhooks/{id}/rotate-secret': {
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret of an endpoint',
    description: 'The new one is shown this once; the old one signs on for 24 hours.',
  },
  'GET /api/jobs/{id}/deliveries': {
    id: 'listJobDeliveries',
    summary: 'Deliveries that told of a job, with their attempts',
    description:
      'To webhook endpoints and to the `webhookUrl` of the job, newest first, kept for 30 days. Each can be sent again with `redeliver`.',
  },
  'GET /api/webhooks/{id}/deliveries': {
    id: 'listDeliveries',
    summary: 'Deliveries to an endpoint, with their attempts',
    description: 'Newest first, kept for 30 days.',
  },
  'POST /api/webhooks/{id}/test': {
    id: 'testWebhook',
    summary: 'Send a test event',
    description: 'Queues a sample event with `test: true`, signed and retried like a real one.',
  },
  'POST /api/webhooks/deliveries/{id}/redeliver': {
    id: 'redeliver',
    summary: 'Send a delivery again',
    description: 'The same bytes under a new id, once the first has ended.',
  },

  'GET /api/user/profile': {
    id: 'getProfile',
    summary: 'Who the caller is: account, plan, limits',
    description: 'The limits are those that a refusal with `plan_limit` names.',
  },
  'GET /api/credits/balance': {
    id: 'getBalance',
    summary: 'Credits owned, held and left',
    description: '`available` is what new submissions can hold.',
  },
  'GET /api/credits/transactions': {
    id: 'listTransactions',
    summary: 'The ledger: grants, holds, captures and releases',
    description: 'Newest first. The sum of all changes is the balance.',
  },
  'GET /api/credits/usage-stats': {
    id: 'getUsage',
    summary: 'Jobs, credits and seconds by day',
    description: 'Of jobs that ended, for the last days.',
  },
  'POST /api/credits/estimate': {
    id: 'estimate',
    summary: 'What a render would cost',
    description: 'Creates nothing.',
  },

  'GET /api/api-keys': {
    id: 'listKeys',
    summary: 'List API keys',
    description: 'Those that are not revoked, newest first. A key itself is never shown again.',
  },
  'POST /api/api-keys': {
    id: 'createKey',
    summary: 'Make an API key',
    description: 'Shown this once. May have scopes, an end, and a cap of credits.',
  },
  'PUT /api/api-keys/{id}': {
    id: 'renameKey',
    summary: 'Rename an API key',
    description: 'The key, its scopes and its cap stay as they are.',
  },
  'DELETE /api/api-keys/{id}': {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'From now on, everywhere.',
  },
  'GET /api/api-keys/{id}/stats': {
    id: 'getKeyUsage',
    summary: 'Use of an API key by day',
    description: 'Requests, jobs and credits of this key.',
  },

  'POST /api/auth/sign-in': {
    id: 'signIn',
    summary: 'Sign in with email and password',
    description:
      'For users of the dashboard. Answers an access token for `Authorization: Bearer` and a refresh token.',
  },
  'POST /api/auth/refresh': {
    id: 'refreshTokens',
    summary: 'Change a refresh token for a new pair',
    description: 'Good once: one that is used twice ends the session.',
  },
  'POST /api/auth/sign-out': {
    id: 'signOut',
    summary: 'End the session',
    description: 'The access token and the refresh token of the session end at once.',
  },

  'GET /healthz': {
    id: 'getHealth',
    summary: 'Whether the process answers',
    description: 'Answers as long as the process runs, whatever else is away.',
  },
  'GET /readyz': {
    id: 'getReadiness',
    summary: 'Whether it can take submissions',
    description: '503 while the database cannot be reached.',
  },
}

/** Sections of the reference, in the order of first use. */
export const tags = [
  { name: 'render', description: 'Films and stills from a JSON description.' },
  { name: 'jobs', description: 'What became of a submission.' },
  { name: 'bulk', description: 'One template, up to hundreds of renders in a request.' },
  { name: 'templates', description: 'Payloads stored under an id.' },
  {
    name: 'authoring',
    description: 'What helps in writing a project: elements, examples, the library, repair.',
  },
  { name: 'projects', description: 'Drafts: payloads that need not be in order yet.' },
  { name: 'webhooks', description: 'Where the farm tells that a job has ended, signed.' },
  { name: 'account', description: 'Plan, limits and credits.' },
  { name: 'api keys', description: 'Who may call in the name of an account, and what they used.' },
  { name: 'auth', description: 'For the dashboard.' },
  { name: 'service', description: 'For those who run it.' },
] as const
