import { agentScope } from './settings.ts'

/** Rules for the metadata of clients, the same for registrations and for metadata documents. */

const maxRedirectUris = 10
const maxUriLength = 2_000
const maxNameLength = 100
const authMethods = ['none', 'client_secret_basic', 'client_secret_post']
const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Schemes of hosts that have none in the reverse-domain form, which RFC 8252 (7.1) asks for. Any other
 * may belong to the system, like `ms-msdt:` or `search-ms:`, which a refusal would then start.
 */
const hostSchemes = ['claude', 'cursor', 'vscode', 'vscode-insiders', 'windsurf', 'zed']
/** Reverse-domain form, like `com.example.app:`. */
const reverseDomain = /^[a-z][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+:$/

/** Error of RFC 7591, 3.2.2. */
export class ClientRefused extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'

  constructor(code: ClientRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Returns the metadata that the farm keeps of a client. Every client is native: only such ones may
 * have loopback addresses with any port, or a scheme of their own. Hosts of https stay exact.
 * @throws ClientRefused
 */
export function readClientMetadata(
  sent: unknown,
  { isDocument }: { readonly isDocument: boolean },
): Record<string, unknown> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw refused('The metadata must be a JSON object. Got another value')
  }
  const metadata = sent as Readonly<Record<string, unknown>>
  checkFlow(metadata)
  const { client_id: clientId, client_uri: uri } = metadata
  return {
    ...(isDocument && { client_id: clientId }),
    client_name: readName(metadata.client_name),
    redirect_uris: readRedirectUris(metadata.redirect_uris),
    ...(isHomePage(uri) && { client_uri: uri }),
    token_endpoint_auth_method: readAuthMethod(metadata.token_endpoint_auth_method, isDocument),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    scope: agentScope,
  }
}

function readRedirectUris(uris: unknown): string[] {
  const rule = `redirect_uris must be a list of 1 to ${maxRedirectUris} addresses`
  if (!Array.isArray(uris)) throw refused(`${rule}. Got no list`, 'invalid_redirect_uri')
  if (uris.length < 1 || uris.length > maxRedirectUris) {
    throw refused(`${rule}. Got ${uris.length}`, 'invalid_redirect_uri')
  }
  return uris.map((uri) => {
    const fault = redirectUriFault(uri)
    if (fault !== undefined) throw refused(`A redirect_uri ${fault}`, 'invalid_redirect_uri')
    return uri
  })
}

/** Returns the fault of an address that answers may be sent to; undefined: none. */
export function redirectUriFault(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > maxUriLength) {
    return `must be text of at most ${maxUriLength} characters. Got another value`
  }
  const seen = `Got ${JSON.stringify(uri.slice(0, 200))}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  const hasForeignSigns = /[\u0000-\u0020\\\u007f-\u00a0]/.test(uri)
  const url = hasForeignSigns ? null : URL.parse(uri)
  if (url === null) return `must be an absolute address without spaces. ${seen}`
  if (uri.includes('#')) return `must have no fragment. ${seen}`
  if (url.username !== '' || url.password !== '') return `must have no user name. ${seen}`
  const isLoopback = loopbacks.has(url.hostname)
  switch (url.protocol) {
    case 'https:':
      return isLoopback || /[*%]/.test(url.hostname)
        ? `must name one host that is not this computer, when it is https. ${seen}`
        : undefined
    case 'http:':
      return isLoopback
        ? undefined
        : `must be https, or http at localhost, 127.0.0.1 or [::1]. ${seen}`
    default:
      return hostSchemes.includes(url.protocol.slice(0, -1)) || reverseDomain.test(url.protocol)
        ? undefined
        : `must have the scheme https, http, one with a dot like com.example.app, or one of ${hostSchemes.join(', ')}. ${seen}`
  }
}

/** True: the answer goes to a program on the computer of the person who consents. */
export function isOwnComputer(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && loopbacks.has(hostname)
}

function checkFlow({ grant_types: grants, response_types: responses }: Record<string, unknown>) {
  const known = ['authorization_code', 'refresh_token']
  if (grants !== undefined) {
    const isKnown =
      Array.isArray(grants) &&
      grants.includes('authorization_code') &&
      grants.every((grant) => known.includes(grant))
    const rule = 'grant_types must be authorization_code, and refresh_token if wanted'
    if (!isKnown) throw refused(`${rule}. Got ${shown(grants)}`)
  }
  if (responses === undefined) return
  const isCode = Array.isArray(responses) && responses.length === 1 && responses[0] === 'code'
  if (!isCode) throw refused(`response_types must be code. Got ${shown(responses)}`)
}

function readName(name: unknown): string {
  if (name === undefined || name === '') return 'Unnamed client'
  if (typeof name !== 'string' || name.length > maxNameLength || /\p{Cc}|\p{Cf}/u.test(name)) {
    const rule = `client_name must be text of at most ${maxNameLength} characters, without control characters`
    throw refused(`${rule}. Got ${shown(name)}`)
  }
  return name
}

/** Absent in a registration, it is what RFC 7591 says; a document cannot keep a secret. */
function readAuthMethod(method: unknown, isDocument: boolean): string {
  const known = isDocument ? ['none'] : authMethods
  const read = method ?? (isDocument ? 'none' : 'client_secret_basic')
  if (typeof read === 'string' && known.includes(read)) return read
  throw refused(`token_endpoint_auth_method must be ${known.join(' or ')}. Got ${shown(method)}`)
}

function isHomePage(uri: unknown): boolean {
  return (
    typeof uri === 'string' && uri.length <= maxUriLength && URL.parse(uri)?.protocol === 'https:'
  )
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'nothing'
}

function refused(
  message: string,
  code: ClientRefused['code'] = 'invalid_client_metadata',
): ClientRefused {
  return new ClientRefused(code, message)
}
