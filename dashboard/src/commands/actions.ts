/** An act of a page, as a request and as a command. `{id}` stands for the id of what it acts on. */
export type Action = {
  /** Words of the menu. */
  readonly says: string
  /** Operation of the interface, by which a program does the same. */
  readonly route: string
  /** Command that does the same, with FARM_URL and FARM_API_KEY. */
  readonly farm?: string
  /** Operators' command that does the same. */
  readonly operator?: string
  /** `person`: takes the access token of a sign-in, and no key. `none`: takes no credential. */
  readonly by?: 'person' | 'none'
  /** Name of the file that the answer is saved to. */
  readonly saves?: string
  /** Field of the answer with the address of a file, which is saved. */
  readonly follows?: string
}

const why = "--why 'REASON'"

/** All acts of the customers' pages. */
export const actions = {
  render: {
    says: 'Render it',
    route: 'POST /api/render/api-key',
    farm: 'farm render project.json',
  },
  renderExample: {
    says: 'Render the demo film',
    route: 'POST /api/render/api-key',
    farm: 'farm render examples/launch/project.json',
  },
  renderTemplate: { says: 'Render the template', route: 'POST /api/render/api-key' },
  validate: {
    says: 'Check it',
    route: 'POST /api/render/validate/api-key',
    farm: 'farm validate project.json',
  },
  preview: {
    says: 'See moments of it',
    route: 'POST /api/render/preview',
    farm: 'farm preview project.json',
  },
  deleteUpload: { says: 'Delete it', route: 'DELETE /api/uploads/{id}' },
  upload: { says: 'Upload a file', route: 'POST /api/uploads', farm: 'farm upload photo.jpg' },

  listJobs: { says: 'List these jobs', route: 'GET /api/jobs', operator: 'farm jobs list' },
  showJob: {
    says: 'Read the job',
    route: 'GET /api/jobs/{id}',
    operator: 'farm jobs show {id}',
  },
  followJob: { says: 'Follow it live', route: 'GET /api/jobs/{id}/events' },
  cancelJob: {
    says: 'Cancel it',
    route: 'POST /api/jobs/{id}/cancel',
    operator: `farm jobs cancel {id} ${why}`,
  },
  renderJobAgain: { says: 'Render it again', route: 'POST /api/jobs/{id}/retry' },
  retryJob: {
    says: 'Render it again',
    route: 'POST /api/jobs/{id}/retry',
    operator: `farm jobs retry {id} ${why}`,
  },
  downloadJob: {
    says: 'Download its file',
    route: 'GET /api/jobs/{id}',
    follows: 'downloadUrl',
  },
  readRequest: { says: 'Read its request', route: 'GET /api/jobs/{id}/request' },
  readTimeline: { says: 'Read its course', route: 'GET /api/jobs/{id}/timeline' },
  explainJob: {
    says: 'Read where its time went',
    route: 'GET /api/jobs/{id}/explain',
    operator: 'farm jobs explain {id}',
  },
  listJobDeliveries: { says: 'List its webhooks', route: 'GET /api/jobs/{id}/deliveries' },

  listBulks: { says: 'List the bulks', route: 'GET /api/render/bulk' },
  renderBulk: {
    says: 'Render a table',
    route: 'POST /api/render/bulk/api-key',
    farm: 'farm bulk project.json --csv rows.csv',
  },
  showBulk: { says: 'Read the bulk', route: 'GET /api/render/bulk/{id}' },
  saveBulkResults: {
    says: 'Save the results',
    route: 'GET /api/render/bulk/{id}/results',
    saves: 'results.csv',
  },
  saveBulkJson: {
    says: 'Save the results as JSON',
    route: 'GET /api/render/bulk/{id}/results',
    saves: 'results.json',
  },
  downloadBulk: {
    says: 'Save all files as ZIP',
    route: 'GET /api/render/bulk/{id}',
    farm: 'farm bulk download {id}',
    follows: 'zipUrl',
  },
  cancelBulk: { says: 'Cancel it', route: 'POST /api/render/bulk/{id}/cancel' },
  retryBulk: {
    says: 'Render what failed again',
    route: 'POST /api/render/bulk/{id}/retry',
    farm: 'farm bulk retry {id}',
  },
  retryBulkPart: { says: 'Render these again', route: 'POST /api/render/bulk/{id}/retry' },

  listTemplates: { says: 'List the templates', route: 'GET /api/templates' },
  createTemplate: { says: 'Save it as a template', route: 'POST /api/templates' },
  showTemplate: { says: 'Read the template', route: 'GET /api/templates/{id}' },
  changeTemplate: { says: 'Save the changes', route: 'PUT /api/templates/{id}' },
  archiveTemplate: { says: 'Archive it', route: 'PUT /api/templates/{id}' },
  unarchiveTemplate: { says: 'Bring it back', route: 'PUT /api/templates/{id}' },
  duplicateTemplate: { says: 'Duplicate it', route: 'POST /api/templates/{id}/duplicate' },

  listWebhooks: { says: 'List the webhooks', route: 'GET /api/webhooks' },
  createWebhook: { says: 'Make a webhook', route: 'POST /api/webhooks' },
  showWebhook: { says: 'Read the webhook', route: 'GET /api/webhooks/{id}' },
  testWebhook: { says: 'Send a test', route: 'POST /api/webhooks/{id}/test' },
  rotateWebhookSecret: {
    says: 'Make a new secret',
    route: 'POST /api/webhooks/{id}/rotate-secret',
  },
  disableWebhook: { says: 'Disable it', route: 'PUT /api/webhooks/{id}' },
  enableWebhook: { says: 'Enable it', route: 'PUT /api/webhooks/{id}' },
  describeWebhook: { says: 'Change its description', route: 'PUT /api/webhooks/{id}' },
  deleteWebhook: { says: 'Delete it', route: 'DELETE /api/webhooks/{id}' },
  listDeliveries: { says: 'List its deliveries', route: 'GET /api/webhooks/{id}/deliveries' },
  redeliver: {
    says: 'Send it again',
    route: 'POST /api/webhooks/deliveries/{id}/redeliver',
  },
  redeliverFailed: {
    says: 'Send all failed ones again',
    route: 'POST /api/webhooks/deliveries/redeliver',
  },

  listKeys: { says: 'List the keys', route: 'GET /api/api-keys' },
  createKey: { says: 'Make a key', route: 'POST /api/api-keys' },
  readKeyUsage: { says: 'Read its use by day', route: 'GET /api/api-keys/{id}/stats' },
  revokeKey: { says: 'Revoke it', route: 'DELETE /api/api-keys/{id}' },

  readBalance: { says: 'Read the balance', route: 'GET /api/credits/balance' },
  readUsage: { says: 'Read the use by day', route: 'GET /api/credits/usage-stats' },
  listTransactions: { says: 'Read the ledger', route: 'GET /api/credits/transactions' },
  saveTransactions: {
    says: 'Save the ledger',
    route: 'GET /api/credits/transactions.csv',
    saves: 'credits.csv',
  },

  readProfile: { says: 'Read the account', route: 'GET /api/user/profile' },
  signIn: { says: 'Sign in', route: 'POST /api/auth/sign-in', by: 'none' },
  listSessions: { says: 'List the sessions', route: 'GET /api/auth/sessions', by: 'person' },
  endSession: { says: 'End it', route: 'DELETE /api/auth/sessions/{id}', by: 'person' },
  endOtherSessions: { says: 'End all others', route: 'DELETE /api/auth/sessions', by: 'person' },
  changePassword: { says: 'Change the password', route: 'POST /api/auth/password', by: 'person' },
  listAgents: { says: 'List the agents', route: 'GET /api/agent-connections', by: 'person' },
  changeAgent: {
    says: 'Change its caps',
    route: 'PATCH /api/agent-connections/{id}',
    by: 'person',
  },
  disconnectAgent: {
    says: 'Disconnect it',
    route: 'DELETE /api/agent-connections/{id}',
    by: 'person',
  },
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof actions
