/**
 * Scopes of an API key. `render`: submit, validate, estimate, cancel, upload media. `jobs`: look up and list.
 * `account`: profile and credits. `templates`, `webhooks`, `keys`: manage those.
 */
export const keyScopes = ['render', 'jobs', 'account', 'templates', 'webhooks', 'keys'] as const
export type KeyScope = (typeof keyScopes)[number]
