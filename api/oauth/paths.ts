/** Paths of the authorization server, below the public address. */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The page on which a person signs in and consents. */
export const consentPath = '/oauth/consent'
/** Route that the page calls; the cookie of a sign-in is bound to this path and the sign-in's id. */
export const interactionsPath = '/api/oauth/interactions'
