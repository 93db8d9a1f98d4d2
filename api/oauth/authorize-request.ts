import { agentScope, refusedScope } from './settings.ts'

/** Parameters that reach the library. Those of OpenID Connect are dropped, as its scopes are. */
const known = [
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'state', 'prompt', 'resource'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]
/** Scopes that clients add because other servers know them. They are ignored, not refused. */
const ignoredScopes = new Set(['openid', 'offline_access', 'profile', 'email'])

/**
 * Prepares the query of an authorization request for the library. It judges everything here after
 * it has checked client and address, so that no fault leads to a foreign page.
 */
export function prepareAuthorizeQuery(sent: URLSearchParams, mcpUrl: string): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of known) {
    for (const value of sent.getAll(name)) {
      query.append(name, name === 'resource' ? canonicalResource(value, mcpUrl) : value)
    }
  }
  const mode = query.get('response_mode')
  // Anything but the query of the address would need a page with a script, or hides the answer.
  if (mode !== null && mode !== 'query') query.set('response_mode', 'not-supported')
  query.set('scope', agentScope)
  const others = sent
    .getAll('scope')
    .flatMap((scope) => scope.split(' '))
    .filter((scope) => scope !== '' && scope !== agentScope && !ignoredScopes.has(scope))
  if (others.length > 0) query.set(refusedScope, others.join(' ').slice(0, 200))
  return query
}

/** Prepares the form of a token request in the same way. */
export function prepareTokenForm(sent: URLSearchParams, mcpUrl: string): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of sent) {
    form.append(name, name === 'resource' ? canonicalResource(value, mcpUrl) : value)
  }
  const scope = form.get('scope')
  if (scope !== null) {
    const left = scope.split(' ').filter((each) => each !== '' && !ignoredScopes.has(each))
    if (left.length === 0) form.delete('scope')
    else form.set('scope', left.join(' '))
  }
  return form
}

/**
 * Returns the address of the endpoint for another spelling of it: capitals in scheme or host, or a
 * slash at the end. Any other text stays as it is, and is refused.
 */
function canonicalResource(resource: string, mcpUrl: string): string {
  const spelled = (text: string) => URL.parse(text)?.href.replace(/\/$/, '')
  return spelled(resource) === spelled(mcpUrl) ? mcpUrl : resource
}
