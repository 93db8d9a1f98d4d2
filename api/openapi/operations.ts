import { listed } from '../../core/listed.ts'
import { elements } from '../../core/project/elements.ts'

/** Texts of every published operation: its name in generated clients, and its description. */
export type OperationWords = {
  /** `operationId`; never changes, because clients are generated from it. */
  readonly id: string
  readonly summary: string
  readonly description: string
}

const held =
  'Credits are held until the job ends; a failed or cancelled job is not charged in full.'
const elementNames = listed(
  elements.map(({ type }) => type),
  'or',
)
const signedIn = 'Works like the route for API keys, with a dashboard token.'
const sameAnswer = 'Returns the same response as the path with /api-key.'

/** Operations by method and path, as in the document. */
export const operations: Readonly<Record<string, OperationWords>> = {
  'POST /api/render/api-key': {
    id: 'render',
    summary: 'Submit a render',
    description: `Submits a film or a still, described by \`payload\` or by the id of a stored \`template\`, and returns at once. Follow the job by its events, by webhooks, or by polling. ${held} Send an \`Idempotency-Key\` to retry a submission safely: it is executed once.`,
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
      'Submits an image project; the payload may omit its type here. A template must hold an image project.',
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
      'Returns every fault with its path, or the resolved project with its price and warnings. Creates nothing.',
  },
  'POST /api/render/preview': {
    id: 'preview',
    summary: 'Preview a film or a still',
    description:
      'Paints a few moments of the film as the render would, small and with their times, on one JPEG. Free, and creates no job. Answers JSON, or the JPEG itself with `Accept: image/jpeg`. An equal request within 15 minutes gets the same sheet. The media are kept for the render that follows. A preview that takes longer than 50 seconds answers 202: send the same request again. An account may have 20 previews painted a minute; a 429 response states in `Retry-After` when to try again.',
  },

  'GET /api/render/schema/api-key': {
    id: 'getSchema',
    summary: 'Get the JSON Schema of requests',
    description:
      'Returns the JSON Schema (2020-12) of a render request, or of the project alone, for editors and validators.',
  },
  'GET /api/render/schema': {
    id: 'getSchemaSignedIn',
    summary: 'Get the JSON Schema of requests, at the path without /api-key',
    description: 'Returns the same schema.',
  },

  'POST /api/render/repair/api-key': {
    id: 'repair',
    summary: 'Repair a payload',
    description:
      'Corrects faults that have only one possible meaning: numbers out of range, case and spelling, quoted numbers and flags, swapped times, unknown properties. Each change states its reason. Nothing is invented; remainingErrors lists the faults that are left.',
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
      'Compares the words of the brief with the library’s examples. Returns the closest one with its scenes, variables and price, and alternatives. Uses no language model; notUsed lists the fields that word matching cannot consider. Creates nothing.',
  },
  'POST /api/render/creative-plan': {
    id: 'planFromExamplesSignedIn',
    summary: 'Choose an example for a brief, signed in',
    description: signedIn,
  },
  'GET /api/render/elements/api-key': {
    id: 'listElements',
    summary: 'List the elements of a project',
    description:
      'Returns each element with its fields, their rules in words, and an example, and the parts that elements consist of. Needs no credentials.',
  },
  'GET /api/render/elements': {
    id: 'listElementsSignedIn',
    summary: 'List the elements of a project, at the path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/elements/{type}/api-key': {
    id: 'getElement',
    summary: 'Get an element of a project',
    description: `Takes ${elementNames} as type, in any case, or the type of a part, such as FILTER.`,
  },
  'GET /api/render/elements/{type}': {
    id: 'getElementSignedIn',
    summary: 'Get an element of a project, at the path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/examples/api-key': {
    id: 'listExamples',
    summary: 'List small example requests',
    description:
      'Returns requests that can be submitted unchanged; with `name`, the one of that name. The library has larger examples.',
  },
  'GET /api/render/examples': {
    id: 'listExamplesSignedIn',
    summary: 'List small example requests, at the path without /api-key',
    description: sameAnswer,
  },
  'GET /api/render/examples/{name}/api-key': {
    id: 'getExample',
    summary: 'Get a small example request',
    description: 'Returns the request that the list shows under this name.',
  },
  'GET /api/render/examples/{name}': {
    id: 'getExampleSignedIn',
    summary: 'Get a small example request, at the path without /api-key',
    description: sameAnswer,
  },
  'GET /api/library/{kind}': {
    id: 'listLibrary',
    summary: 'List library items: examples, design templates, canvas presets or shapes',
    description:
      'Returns projects, TEXT visuals, resolutions or SVG visuals that come with the farm, each with a thumbnail. Needs no credentials.',
  },
  'GET /api/library/examples/sheet': {
    id: 'getExamplesSheet',
    summary: 'Get one picture of the examples that a search finds',
    description:
      'Returns a JPEG of at most 27,000 bytes: the thumbnails of the first examples that have all words, in the order of the list, each with its slug below. Needs no credentials.',
  },
  'GET /api/library/{kind}/{slug}': {
    id: 'getLibraryItem',
    summary: 'Get a library item',
    description: 'Returns the item without its content.',
  },
  'GET /api/library/{kind}/{slug}/content': {
    id: 'getLibraryContent',
    summary: 'Get the content of a library item',
    description:
      'Returns a project for an example, a visual for a design template or shape, and settings for a preset.',
  },
  'GET /api/stock/providers': {
    id: 'listStockProviders',
    summary: 'List providers of stock media',
    description:
      'Returns an empty list, because a farm has no stock media. Exists for programs that check for providers first.',
  },
  'GET /api/stock/search': {
    id: 'searchStock',
    summary: 'Search stock media',
    description: 'Returns no results, because no provider is configured. That is not an error.',
  },

  'POST /api/render/bulk/api-key': {
    id: 'renderBulk',
    summary: 'Submit many renders of one template',
    description: `Renders one \`payload\` or \`template\` once for each item, with the variables of that item. A faulty item is refused and reported with its index; the others are rendered. ${held}`,
  },
  'POST /api/render/bulk': {
    id: 'renderBulkSignedIn',
    summary: 'Submit many renders, signed in',
    description: signedIn,
  },
  'POST /api/render/image/bulk/api-key': {
    id: 'renderImageBulk',
    summary: 'Submit many stills of one template',
    description: 'Submits a bulk of an image project; the payload may omit its type here.',
  },
  'POST /api/render/image/bulk': {
    id: 'renderImageBulkSignedIn',
    summary: 'Submit many stills, signed in',
    description: signedIn,
  },
  'GET /api/render/bulk': {
    id: 'listBulks',
    summary: 'List bulks',
    description: 'Returns the newest first, each with the number of its jobs in each state.',
  },
  'GET /api/render/bulk/{id}': {
    id: 'getBulk',
    summary: 'Get the progress of a bulk',
    description: 'Returns the number of its jobs in each state, and a page of them.',
  },
  'GET /api/render/bulk/{id}/results': {
    id: 'getBulkResults',
    summary: 'Get the results of a bulk as JSON or CSV',
    description:
      'Returns one row for each item with its job, its file or its fault. `format=csv` returns a table for spreadsheets.',
  },
  'POST /api/render/bulk/{id}/cancel': {
    id: 'cancelBulk',
    summary: 'Cancel a bulk',
    description: 'Cancels every job of the bulk that has not ended.',
  },
  'POST /api/render/bulk/{id}/retry': {
    id: 'retryBulk',
    summary: 'Render the failed items of a bulk again',
    description: `Submits the items whose jobs failed as a new bulk of the same name, with the payload that their template had. \`states\` takes cancelled jobs as well, \`jobIds\` some of them only. Items keep their index, and segments that are stored are not rendered again. ${held}`,
  },

  'GET /download/{id}/{grant}/files.zip': {
    id: 'downloadBulk',
    summary: 'Download all files of a bulk as a ZIP',
    description:
      'Streams the files at the address that `zipUrl` names. They are stored in it as they are and named by their rows, `007-ada.mp4`; jobs without a file are left out. A file that cannot be read breaks the answer off before its `Content-Length`.',
  },

  'GET /api/jobs': {
    id: 'listJobs',
    summary: 'List jobs',
    description:
      'Returns the newest first, unless `sort` says otherwise. `counts=true` adds the number of matching jobs in each state.',
  },
  'GET /api/jobs/{id}': {
    id: 'getJob',
    summary: 'Get a job: state, progress, reason for waiting, files',
    description:
      'Files are signed URLs that expire; get the job again for fresh ones. Polling the same unfinished job more than once a second long-polls: the reply comes when the job ends, or after one second.',
  },
  'GET /api/jobs/{id}/thumbnail': {
    id: 'getThumbnail',
    summary: 'Get the thumbnail of a completed job',
    description:
      'Returns the JPEG itself, which thumbnailUrl also names, for callers that reach this service alone. It shows a moment of a film, or the still reduced to 640 px.',
  },
  'GET /api/jobs/{id}/events': {
    id: 'followJob',
    summary: 'Follow a job live, as server-sent events',
    description:
      'Sends the job at once and after each change until it ends, with a small picture of the segment finished last.',
  },
  'GET /api/jobs/{id}/timeline': {
    id: 'getJobTimeline',
    summary: 'Get the timeline of a job',
    description:
      'Returns the stages, the tasks with every attempt at them, and the segments of a film with their states. Machines have names within the job alone. An attempt that ended without a result says why.',
  },
  'GET /api/jobs/{id}/explain': {
    id: 'explainJob',
    summary: 'Explain where the time of a job went',
    description:
      'Returns the seconds and shares of its stages and of the machines’ steps, the slowest frames and elements, and one line of advice. A running job is explained up to now.',
  },
  'GET /api/jobs/{id}/request': {
    id: 'getJobRequest',
    summary: 'Get the request of a job',
    description:
      'Returns the request as it was sent, ready to be sent again: `payload` or `template`, with variables and overrides. Of a job of a bulk it is the whole request of its item.',
  },
  'POST /api/jobs/{id}/retry': {
    id: 'retryJob',
    summary: 'Render an ended job again',
    description: `Submits the request of a job that has ended as a new job, with the payload that its template had. \`overrides\` replace those of the request, name by name. Segments that are stored are not rendered again. ${held}`,
  },
  'GET /api/events': {
    id: 'followAccount',
    summary: 'Follow all jobs live, as server-sent events',
    description:
      'Sends `hello`, then `job` for each change of any job of the account, `bulk` for each change of a bulk and `credits` when the balance changes. Changes of a job within 250 ms are one event, which holds the present state: id, name, state, stage, progress, framesPerSecond, etaSeconds, type, thumbnailUrl, previewUrl, bulkId, createdAt, failedReason and credits. `Last-Event-ID` or `since` first tells what was missed. A key without the scope `account` gets no `credits`. An account may have 20 such streams open.',
  },
  'GET /play/{jobId}/{grant}/{file}': {
    id: 'playFilm',
    summary: 'Play a film while it renders, and after',
    description:
      'HTTP Live Streaming at the address that `playlistUrl` names. The playlist is complete from the beginning. A piece that is not rendered yet is rendered next; its request waits, and answers 503 with Retry-After when it takes longer.',
  },
  'GET /play/{jobId}/{grant}/state.json': {
    id: 'getPlayState',
    summary: 'See which pieces of a film can be played by now',
    description:
      'Lists the pieces of the playlist beside it, and says why a film cannot be played. Ask once a second at most: the answer is as old as that.',
  },
  'POST /api/jobs/{id}/cancel': {
    id: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'Stops the nodes of the job within seconds. Painted frames are charged. A job that has ended does not change.',
  },

  'POST /api/uploads': {
    id: 'uploadMedium',
    summary: 'Upload a photograph, clip or sound',
    description:
      'The body is the file itself, as it is, and Content-Length its bytes. What it is follows from its content, never from its name. The answer’s `url` is a `src` for any project of the account. The same bytes twice are one upload, which is answered with 200. Uploads count in the plan’s `storedGigabytes`, and stay until they are deleted.',
  },
  'GET /api/uploads': {
    id: 'listUploads',
    summary: 'List uploaded media',
    description: 'Returns uploads, newest first, with their addresses.',
  },
  'DELETE /api/uploads/{id}': {
    id: 'deleteUpload',
    summary: 'Delete an uploaded medium',
    description:
      'Ends its address and makes room at once. Films that are rendered stay; jobs under way may still use what they fetched.',
  },
  'GET /uploads/{id}/{grant}': {
    id: 'getUploadedFile',
    summary: 'Get an uploaded medium',
    description: 'Returns the bytes. The address is the permission, for nodes and for pages.',
  },
  'GET /api/templates': {
    id: 'listTemplates',
    summary: 'List templates',
    description:
      'Returns the newest first, without payloads. `search` matches names and descriptions.',
  },
  'POST /api/templates': {
    id: 'createTemplate',
    summary: 'Store a template',
    description:
      'Stores a payload under an id that render requests can name. Scenes of a film must have a duration.',
  },
  'GET /api/templates/{id}': {
    id: 'getTemplate',
    summary: 'Get a template',
    description: 'Returns the template with its payload.',
  },
  'PUT /api/templates/{id}': {
    id: 'changeTemplate',
    summary: 'Change or archive a template',
    description: 'Jobs submitted before the change keep the earlier payload.',
  },
  'DELETE /api/templates/{id}': {
    id: 'deleteTemplate',
    summary: 'Delete a template',
    description: 'Jobs submitted with the template keep their copy of the payload.',
  },
  'POST /api/templates/{id}/duplicate': {
    id: 'duplicateTemplate',
    summary: 'Copy a template',
    description: 'Creates a copy with a new id and a name that marks it as a copy.',
  },
  'POST /api/templates/{id}/preview': {
    id: 'previewTemplate',
    summary: 'Preview a render of a template and its price',
    description:
      'Resolves the template with the given variables and overrides. Creates and renders nothing.',
  },

  'GET /api/projects': {
    id: 'listProjects',
    summary: 'List projects',
    description: 'Returns the newest first, without payloads.',
  },
  'POST /api/projects': {
    id: 'createProject',
    summary: 'Store a project',
    description:
      'Stores a draft. Its payload may have faults, which the response lists. Only a submission renders it.',
  },
  'GET /api/projects/{id}': {
    id: 'getProject',
    summary: 'Get a project with its faults',
    description:
      'Validates the payload again under the plan of the account. `version` names an earlier version.',
  },
  'PUT /api/projects/{id}': {
    id: 'changeProject',
    summary: 'Change the name or the payload of a project',
    description:
      'Increments the version of the project. `baseVersion` refuses the change when another one came first.',
  },
  'PATCH /api/projects/{id}': {
    id: 'patchProject',
    summary: 'Change parts of the payload of a project',
    description:
      'Applies a JSON Patch (RFC 6902) whose pointers start at the payload: all of it, or nothing. As `application/json-patch+json` the body is the list of operations itself. Returns the project with its faults and warnings.',
  },
  'GET /api/projects/{id}/versions': {
    id: 'listProjectVersions',
    summary: 'List the versions of a project',
    description: 'Returns the newest first: the current version and up to 50 before it.',
  },
  'POST /api/projects/{id}/restore': {
    id: 'restoreProject',
    summary: 'Restore an earlier version of a project',
    description: 'Makes the name and payload of that version a new version. Nothing is lost.',
  },
  'DELETE /api/projects/{id}': {
    id: 'deleteProject',
    summary: 'Delete a project',
    description: 'Deletes the project permanently. Jobs made from its payload remain.',
  },

  'POST /api/quotes': {
    id: 'createQuote',
    summary: 'Quote a render or a bulk',
    description:
      'Keeps the price of a payload, template or project for 15 minutes; with `items`, of a bulk. Creates no job and costs nothing.',
  },
  'GET /api/quotes/{id}': {
    id: 'getQuote',
    summary: 'Get a quote',
    description: 'Says whether it is open, used or expired, and names the job or bulk it made.',
  },
  'POST /api/quotes/{id}/render': {
    id: 'renderQuote',
    summary: 'Render a quote',
    description: `Makes the one job or bulk of the quote, however often it is sent. Refuses when the quote has expired, its template or project has changed, or the price has risen. ${held}`,
  },

  'GET /api/webhooks': {
    id: 'listWebhooks',
    summary: 'List webhook endpoints',
    description: 'Returns all endpoints of the account and the number that its plan allows.',
  },
  'POST /api/webhooks': {
    id: 'createWebhook',
    summary: 'Register a webhook endpoint',
    description:
      'Shows the secret only in this response. `warnings` names another endpoint that receives the same events at the same `url`.',
  },
  'GET /api/webhooks/{id}': {
    id: 'getWebhook',
    summary: 'Get a webhook endpoint',
    description:
      'Returns the endpoint without its secret. Only creation and `rotate-secret` show the secret.',
  },
  'PUT /api/webhooks/{id}': {
    id: 'changeWebhook',
    summary: 'Change, disable or enable a webhook endpoint',
    description:
      'Changes only the fields that are sent. Enabling an endpoint resets its failure count.',
  },
  'DELETE /api/webhooks/{id}': {
    id: 'deleteWebhook',
    summary: 'Delete a webhook endpoint and its log',
    description: 'Stops all deliveries to the endpoint and removes its log.',
  },
  'POST /api/webhooks/{id}/rotate-secret': {
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret of an endpoint',
    description:
      'Shows the new secret only in this response. The old secret keeps signing for 24 hours.',
  },
  'GET /api/jobs/{id}/deliveries': {
    id: 'listJobDeliveries',
    summary: 'List deliveries about a job with their attempts',
    description:
      'Returns deliveries to webhook endpoints and to the `webhookUrl` of the job, newest first. Deliveries are kept for 30 days. `redeliver` sends one again.',
  },
  'GET /api/webhooks/{id}/deliveries': {
    id: 'listDeliveries',
    summary: 'List deliveries to an endpoint with their attempts',
    description: 'Returns the newest first. Deliveries are kept for 30 days.',
  },
  'POST /api/webhooks/{id}/test': {
    id: 'testWebhook',
    summary: 'Send a test event',
    description: 'Queues a sample event with `test: true`, signed and retried like a real one.',
  },
  'GET /api/webhooks/deliveries': {
    id: 'listAllDeliveries',
    summary: 'List deliveries to all receivers',
    description:
      'Returns the newest first, over all endpoints and the `webhookUrl` of jobs, each with its body as it is sent. Kept for 30 days. `next` leads to the following page, whatever is written meanwhile.',
  },
  'POST /api/webhooks/deliveries/redeliver': {
    id: 'redeliverFailed',
    summary: 'Send all failed deliveries since a time again',
    description:
      'Sends failed deliveries again, the oldest first and at most `limit` of them, to all receivers or to one endpoint. Such requests send each failed delivery at most once; repeat the request while `left` is above 0. Tests and deliveries to disabled endpoints are left out.',
  },
  'POST /api/webhooks/deliveries/{id}/redeliver': {
    id: 'redeliver',
    summary: 'Send a delivery again',
    description: 'Sends the same bytes under a new id, once the first delivery has ended.',
  },

  'GET /api/user/profile': {
    id: 'getProfile',
    summary: 'Get the account, plan and limits of the caller',
    description: 'Returns the limits that errors with the code `plan_limit` refer to.',
  },
  'GET /api/credits/balance': {
    id: 'getBalance',
    summary: 'Get the credit balance',
    description:
      'Returns the credits owned, held and available. New submissions can hold `available` credits.',
  },
  'GET /api/credits/transactions': {
    id: 'listTransactions',
    summary: 'List ledger entries: grants, holds, captures and releases',
    description: 'Returns the newest first. The sum of all changes is the balance.',
  },
  'GET /api/credits/transactions.csv': {
    id: 'downloadTransactions',
    summary: 'Download the ledger as CSV',
    description: 'Returns every matching entry, newest first, with a row of names before them.',
  },
  'GET /api/credits/usage-stats': {
    id: 'getUsage',
    summary: 'Get jobs, credits and seconds by day',
    description: 'Counts the jobs that ended in the last days.',
  },
  'POST /api/credits/estimate': {
    id: 'estimate',
    summary: 'Estimate the price of a render',
    description: 'Creates nothing.',
  },

  'GET /api/api-keys': {
    id: 'listKeys',
    summary: 'List API keys',
    description:
      'Returns keys that are not revoked, newest first. The key itself is never shown again.',
  },
  'POST /api/api-keys': {
    id: 'createKey',
    summary: 'Create an API key',
    description:
      'Shows the key only in this response. A key may have scopes, an expiry time and a spending cap.',
  },
  'PUT /api/api-keys/{id}': {
    id: 'renameKey',
    summary: 'Rename an API key',
    description: 'Leaves the key, its scopes and its cap unchanged.',
  },
  'DELETE /api/api-keys/{id}': {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Revokes the key at once, everywhere.',
  },
  'GET /api/agent-connections': {
    id: 'listAgentConnections',
    summary: 'List connected agents',
    description:
      'Returns the agents that users of the account connected, the newest first, with their caps, their spending and their last use, and the address at which agents connect.',
  },
  'PATCH /api/agent-connections/{id}': {
    id: 'changeAgentConnection',
    summary: 'Change an agent’s profile and caps',
    description: 'Takes effect with the agent’s next call. Absent fields keep their value.',
  },
  'DELETE /api/agent-connections/{id}': {
    id: 'disconnectAgent',
    summary: 'Disconnect an agent',
    description: 'Refuses the agent’s tokens from now on, everywhere.',
  },
  'GET /api/api-keys/{id}/stats': {
    id: 'getKeyUsage',
    summary: 'Get the use of an API key by day',
    description: 'Returns the requests, jobs and credits of the key.',
  },

  'POST /api/auth/sign-in': {
    id: 'signIn',
    summary: 'Sign in with email and password',
    description:
      'Signs in a user of the dashboard. Returns an access token for `Authorization: Bearer` and a refresh token. With `"cookie": true` a cookie holds the refresh token instead (`HttpOnly`, `SameSite=Strict`, for `/api/auth` alone).',
  },
  'POST /api/auth/refresh': {
    id: 'refreshTokens',
    summary: 'Exchange a refresh token for a new pair',
    description:
      'Accepts each refresh token once, from the body or, with `"cookie": true`, from the cookie. A cookie is accepted from pages of this service only. For 10 seconds the same user agent gets the same successor again, so that racing tabs and lost answers sign nobody out. A later second use ends the session.',
  },
  'POST /api/auth/one-time': {
    id: 'signInOnce',
    summary: 'Sign in with a one-time code',
    description:
      'Signs in the user for whom `farm dev` has printed the code. It is valid once, for 10 minutes, and only on the machine of the farm. A cookie holds the refresh token.',
  },
  'POST /api/auth/sign-out': {
    id: 'signOut',
    summary: 'End the session',
    description:
      'Invalidates the access token and the refresh token of the session at once, and clears its cookie.',
  },
  'GET /api/auth/sessions': {
    id: 'listSessions',
    summary: 'List the sessions of the user',
    description: 'Returns the open sessions of the signed-in user, the one used last first.',
  },
  'DELETE /api/auth/sessions': {
    id: 'endOtherSessions',
    summary: 'End all other sessions',
    description: 'Ends every session of the signed-in user but the one of this request.',
  },
  'DELETE /api/auth/sessions/{id}': {
    id: 'endSession',
    summary: 'End a session of the user',
    description: 'Invalidates the tokens of one session of the signed-in user at once.',
  },
  'POST /api/auth/password': {
    id: 'changePassword',
    summary: 'Change the password',
    description:
      'Replaces the password of the signed-in user, who must name the current one. Ends all their other sessions and disconnects their agents.',
  },

  'GET /healthz': {
    id: 'getHealth',
    summary: 'Check that the process responds',
    description: 'Responds as long as the process runs, even while other services are unavailable.',
  },
  'GET /readyz': {
    id: 'getReadiness',
    summary: 'Check that submissions are accepted',
    description: 'Returns 503 while the database cannot be reached.',
  },
}

/** Sections of the reference, in the order of first use. */
export const tags = [
  { name: 'render', description: 'Render films and stills from a JSON description.' },
  { name: 'jobs', description: 'Follow and cancel submissions, and get their files.' },
  { name: 'bulk', description: 'Render one template up to hundreds of times with one request.' },
  { name: 'templates', description: 'Store payloads under an id.' },
  { name: 'uploads', description: 'Upload media that projects name.' },
  {
    name: 'authoring',
    description: 'Get help with writing a project: elements, examples, the library, repair.',
  },
  { name: 'projects', description: 'Store drafts: payloads that may still have faults.' },
  { name: 'quotes', description: 'Fix the price of a render, show it, and render it once.' },
  { name: 'webhooks', description: 'Receive a signed request when a job has ended.' },
  { name: 'account', description: 'Get the plan, limits and credits of an account.' },
  { name: 'api keys', description: 'Manage keys that act for an account, and see their use.' },
  { name: 'agents', description: 'See, limit and disconnect agents that act for an account.' },
  { name: 'auth', description: 'Sign users of the dashboard in and out.' },
  { name: 'service', description: 'Check the health of the service.' },
] as const
