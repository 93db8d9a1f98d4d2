import { createECDH, hkdfSync } from 'node:crypto'
import { type Configuration, errors, Provider } from 'oidc-provider'
import type { Log } from '../../runtime/log.ts'
import type { SealKeys } from '../../runtime/seal.ts'
import type { Db } from '../../store/db/database.ts'
import { createAdapter } from './adapter.ts'
import { createDocumentFetch, type DocumentReach, maxDocumentBytes } from './client-documents.ts'
import { currentExchange } from './exchange.ts'
import { interactionsPath, oauthPaths } from './paths.ts'
import { agentScope, type OAuthSettings, refusedScope } from './settings.ts'

export type ProviderOptions = {
  readonly settings: OAuthSettings
  /** The issuer: address at which customers reach the service. */
  readonly publicUrl: string
  readonly secret: string
  readonly db: Db
  readonly sealKeys: SealKeys
  readonly log: Log
  readonly reach: DocumentReach
}

const codeSeconds = 60
const interactionSeconds = 15 * 60
const grantSeconds = 10 * 365 * 24 * 60 * 60
const documentCacheSeconds = { min: 60, max: 24 * 60 * 60 }

/**
 * Configures the authorization server: code with PKCE, one scope, one resource, opaque tokens. What
 * the library does more by default is off. Its documents and pages are never shown: discovery, the
 * consent page and errors are the farm's own.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { publicUrl, log } = options
  const provider = new Provider(publicUrl, configurationOf(options))
  // Cookies are for https where the public address is; routes.ts names the scheme.
  provider.proxy = true
  provider.silent = true
  provider.on('server_error', (_ctx, error) => {
    log.error({ err: error }, 'the sign-in of an agent failed')
  })
  provider.on('grant.error', (ctx, error) => {
    const said = saidOfGrant(error)
    if (said !== undefined) ctx.body = { error: error.error, error_description: said }
  })
  return provider
}

/** The library hides all that is wrong with a code; two faults are the app's own, which mends them. */
function saidOfGrant({
  error_detail: detail,
  cause,
}: errors.OIDCProviderError): string | undefined {
  if (cause instanceof Error && cause.message.startsWith('code_verifier')) return cause.message
  return detail?.includes('redirect_uri mismatch') ? detail : undefined
}

function configurationOf({
  settings,
  publicUrl,
  secret,
  db,
  sealKeys,
  reach,
}: ProviderOptions): Configuration {
  const { mcpUrl, accessSeconds, refreshSeconds, hasRegistration } = settings
  const documentFetch = createDocumentFetch(reach)
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true } as const
  const configuration: Configuration = {
    adapter: createAdapter({ db, sealKeys, mcpUrl }),
    scopes: [agentScope],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    cookies: {
      keys: [deriveKey(secret, 'farm oauth cookies').toString('base64url')],
      names: { interaction: 'farm_consent', resume: 'farm_resume', session: 'farm_oauth' },
      short: cookie,
      long: cookie,
    },
    jwks: { keys: [unusedSigningKey(secret)] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: hasRegistration, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: documentCacheSeconds,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcpUrl,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, resource) {
          if (resource !== mcpUrl) throw new errors.InvalidTarget(`The resource must be ${mcpUrl}`)
          return { scope: agentScope, audience: mcpUrl, accessTokenFormat: 'opaque' }
        },
      },
    },
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
      jwks: oauthPaths.jwks,
    },
    ttl: {
      AccessToken: accessSeconds,
      AuthorizationCode: codeSeconds,
      RefreshToken: refreshSeconds,
      Interaction: interactionSeconds,
      Session: interactionSeconds,
      Grant: grantSeconds,
    },
    interactions: {
      url: (_ctx, { uid }) =>
        `${new URL(publicUrl).pathname.replace(/\/$/, '')}${interactionsPath}/${uid}`,
    },
    extraParams: {
      [refusedScope](_ctx, value) {
        if (value === undefined) return
        throw new errors.InvalidScope(`The scope must be ${agentScope}`, String(value))
      },
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    fetch: async (url) => await documentFetch(String(url)),
    fetchResponseBodyLimits: { 'client_id metadata document': maxDocumentBytes },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => currentExchange()?.isReplay !== true,
    // A used code or token, and any revocation, end the whole grant.
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    renderError(ctx, out) {
      ctx.type = 'json'
      ctx.body = out
    },
  }
  return configuration
}

/**
 * The library wants a key to sign id_tokens with, which are never issued: the scope `openid` does
 * not exist here. It follows from the secret, so that all replicas agree.
 */
function unusedSigningKey(secret: string) {
  const curve = createECDH('prime256v1')
  const d = deriveKey(secret, 'farm oauth signing')
  curve.setPrivateKey(d)
  const [x, y] = [curve.getPublicKey().subarray(1, 33), curve.getPublicKey().subarray(33)]
  const text = (bytes: Buffer) => bytes.toString('base64url')
  return { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', x: text(x), y: text(y), d: text(d) }
}

function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
