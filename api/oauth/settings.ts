import { type Env, EnvError, readBaseUrl, readChoice, readInteger } from '../../runtime/env.ts'

/** The only scope of the authorization server. */
export const agentScope = 'service:mcp'

/** Parameter by which a refused scope reaches the library, see authorize-request.ts. */
export const refusedScope = 'farm_refused_scope'

export type OAuthSettings = {
  /** The resource that agents get tokens for: the address of the hosted endpoint. */
  readonly mcpUrl: string
  readonly accessSeconds: number
  readonly refreshSeconds: number
  /** Time in which a used refresh token is answered with its successor; 0: never. */
  readonly graceSeconds: number
  /** Clients may register themselves. */
  readonly hasRegistration: boolean
}

const dayS = 24 * 60 * 60

/** @throws EnvError */
export function readOAuthSettings(env: Env, publicUrl: string): OAuthSettings {
  return {
    mcpUrl: readMcpUrl(env, publicUrl),
    accessSeconds: readInteger(env, 'FARM_OAUTH_ACCESS_S', { min: 60, max: dayS, fallback: 3600 }),
    refreshSeconds:
      dayS * readInteger(env, 'FARM_OAUTH_REFRESH_DAYS', { min: 1, max: 365, fallback: 30 }),
    graceSeconds: readInteger(env, 'FARM_OAUTH_REFRESH_GRACE_S', {
      ...{ min: 0, max: 600, fallback: 30 },
    }),
    hasRegistration: readChoice(env, 'FARM_OAUTH_REGISTRATION', ['on', 'off'], 'on') === 'on',
  }
}

/** The root of a host is the farm's own page, so the endpoint needs a path. */
function readMcpUrl(env: Env, publicUrl: string): string {
  const url = readBaseUrl(env, 'FARM_MCP_URL', `${publicUrl}/mcp`)
  if (new URL(url).pathname !== '/') return url
  throw new EnvError(
    'FARM_MCP_URL',
    'an http(s) URL with a path, like https://mcp.example.com/mcp',
    url,
  )
}
