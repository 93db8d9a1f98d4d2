import type { GatewayContext } from '../context.ts'
import type { Server } from '../gateway/typed-server.ts'
import { oauthPaths } from './paths.ts'
import { agentScope } from './settings.ts'

const resourceDocument = '/.well-known/oauth-protected-resource'
const serverDocument = '/.well-known/oauth-authorization-server'
const openIdDocument = '/.well-known/openid-configuration'

/**
 * Discovery: RFC 9728 for the hosted endpoint, RFC 8414 and OpenID's form for the authorization
 * server. All addresses are below the public one, whatever Host a request names. A resource or an
 * issuer with a path has its documents at the root and with the path inserted; OpenID appends it.
 */
export function metadataRoutes(
  server: Server,
  { publicUrl, mcpUrl, oauth }: Pick<GatewayContext, 'publicUrl' | 'mcpUrl' | 'oauth'>,
): void {
  const issuerPath = pathOf(publicUrl)
  const resource = {
    resource: mcpUrl,
    authorization_servers: [publicUrl],
    scopes_supported: [agentScope],
    bearer_methods_supported: ['header'],
    resource_name: 'Render farm',
    resource_documentation: `${publicUrl}/docs`,
  }
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  const authorization = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${oauthPaths.authorize}`,
    token_endpoint: `${publicUrl}${oauthPaths.token}`,
    revocation_endpoint: `${publicUrl}${oauthPaths.revoke}`,
    ...(oauth.hasRegistration && {
      registration_endpoint: `${publicUrl}${oauthPaths.register}`,
    }),
    jwks_uri: `${publicUrl}${oauthPaths.jwks}`,
    scopes_supported: [agentScope],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${publicUrl}/docs`,
  }
  // OpenID's form demands these two, although no id_token is ever issued.
  const openId = {
    ...authorization,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
  serve([resourceDocument, `${resourceDocument}${pathOf(mcpUrl)}`], resource)
  serve([serverDocument, `${serverDocument}${issuerPath}`], authorization)
  serve(
    [openIdDocument, `${openIdDocument}${issuerPath}`, `${issuerPath}${openIdDocument}`],
    openId,
  )

  function serve(paths: readonly string[], document: object): void {
    const options = { schema: { hide: true }, config: { credentials: [] } }
    for (const path of new Set(paths)) {
      server.get(path, options, async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=300')
        return document
      })
    }
  }
}

/** Address of the document that describes the endpoint: below the host's root (RFC 9728). */
export function resourceDocumentOf({
  publicUrl,
  mcpUrl,
}: Pick<GatewayContext, 'publicUrl' | 'mcpUrl'>): string {
  return new URL(`${resourceDocument}${pathOf(mcpUrl)}`, publicUrl).href
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}
