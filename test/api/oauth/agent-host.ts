import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { agentCall } from '../../../api/gateway/agent-calls.ts'
import type { AgentCall, Caller } from '../../../api/gateway/caller.ts'
import { bearer, signIn } from '../accounts.ts'
import type { Gateway } from '../gateway.ts'

export const mcpUrl = 'https://farm.example.com/mcp'
const redirectUri = 'https://claude.ai/api/mcp/auth_callback'

export type TokenAnswer = {
  readonly access_token: string
  readonly refresh_token: string
  readonly [name: string]: unknown
}

/** A person with a browser that keeps cookies by path, as the library's are bound to theirs. */
export class Browser {
  readonly server: Gateway['server']
  readonly cookies = new Map<string, { readonly path: string; readonly value: string }>()

  constructor(server: Gateway['server']) {
    this.server = server
  }

  async send(
    method: 'GET' | 'POST',
    url: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const cookie = this.cookieFor(url)
    const reply = await this.server.inject({
      ...{ method, url },
      headers: {
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    for (const text of [reply.headers['set-cookie'] ?? []].flat()) this.#keep(text)
    return reply
  }

  cookieFor(url: string): string {
    const path = url.split('?', 1)[0] ?? ''
    return [...this.cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(([key, { value }]) => `${key.split(' ', 1)[0]}=${value}`)
      .join('; ')
  }

  #keep(text: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
    const path = /path=([^;]+)/i.exec(text)?.[1] ?? '/'
    this.cookies.set(`${name} ${path}`, { path, value })
  }
}

export async function form(
  server: Gateway['server'],
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  return await server.inject({
    ...{ method: 'POST', url, payload: new URLSearchParams(fields).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export async function register(
  server: Gateway['server'],
  metadata: Record<string, unknown> = {},
  remoteAddress = `10.${[...randomBytes(3)].join('.')}`,
) {
  return await server.inject({
    ...{ method: 'POST', url: '/oauth/register', remoteAddress },
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({
      client_name: 'Claude',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  })
}

/** `length`: characters of the verifier, which may be 43 to 128. */
export function pkce(length = 43) {
  const verifier = randomBytes(length).toString('base64url').slice(0, length)
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Asking = {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
  readonly challenge: string
}

/** An agent's host: a registered client with one person who can sign in. */
export async function startHost(
  gateway: Pick<Gateway, 'server' | 'db' | 'customer'> & Gateway,
  {
    metadata = {},
    credits = 10_000,
  }: { metadata?: Record<string, unknown>; credits?: number } = {},
) {
  const { server } = gateway
  const customer = await gateway.customer(credits)
  const person = await signIn(gateway, customer.accountId)
  const registered = await register(server, metadata)
  const { client_id: clientId, redirect_uris: uris } = registered.json()
  const own = { clientId: String(clientId), redirectUri: String(uris[0]) }

  function authorizeUrl(asking: Asking, more: Record<string, string | undefined> = {}): string {
    const query = new URLSearchParams()
    const all = {
      ...{ client_id: asking.clientId, redirect_uri: asking.redirectUri, response_type: 'code' },
      ...{ code_challenge: asking.challenge, code_challenge_method: 'S256', state: 'a state' },
      ...{ resource: mcpUrl, scope: 'service:mcp', ...more },
    }
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value)
    return `/oauth/authorize?${query}`
  }

  /** Goes as far as the consent page. */
  async function begin(more: Record<string, string | undefined> = {}, verifierLength = 43) {
    const browser = new Browser(server)
    const asking: Asking = { ...own, ...pkce(verifierLength) }
    const reply = await browser.send('GET', authorizeUrl(asking, more))
    const location = String(reply.headers.location)
    const uid = location.split('/').pop() ?? ''
    return { browser, asking, reply, uid, path: `/api/oauth/interactions/${uid}` }
  }

  /** Signs in and allows; answers the address that the client gets. */
  async function consent(
    allowance: Record<string, unknown> = {},
    more: Record<string, string | undefined> = {},
    verifierLength = 43,
  ) {
    const { browser, asking, path } = await begin(more, verifierLength)
    const body = { allow: true, ...allowance }
    const allowed = await browser.send('POST', path, { body, headers: bearer(person.accessToken) })
    const { redirectTo } = allowed.json()
    const { pathname } = new URL(String(redirectTo))
    const reply = await browser.send('GET', pathname)
    const answer = new URL(String(reply.headers.location))
    return { browser, asking, answer, code: answer.searchParams.get('code') ?? '', redirectTo }
  }

  async function redeem(
    { code, asking }: { code: string; asking: Asking },
    fields: Record<string, string> = {},
  ) {
    return await form(server, '/oauth/token', {
      ...{ grant_type: 'authorization_code', code, client_id: asking.clientId },
      ...{ redirect_uri: asking.redirectUri, code_verifier: asking.verifier, resource: mcpUrl },
      ...fields,
    })
  }

  return {
    ...{ person, customer, registered, ...own, authorizeUrl, begin, consent, redeem },
    async refresh(token: string, fields: Record<string, string> = {}, at = server) {
      const all = { grant_type: 'refresh_token', refresh_token: token, client_id: own.clientId }
      return await form(at, '/oauth/token', { ...all, resource: mcpUrl, ...fields })
    },
    /** Connects: consent, code and tokens. */
    async connect(allowance: Record<string, unknown> = {}): Promise<TokenAnswer> {
      const reply = await redeem(await consent(allowance))
      if (reply.statusCode !== 200) throw new Error(reply.body)
      return reply.json()
    },
  }
}

/** A request of an agent that has called no route yet. */
export function callOf(account: Caller): AgentCall {
  return agentCall({ account, id: randomUUID() })
}
