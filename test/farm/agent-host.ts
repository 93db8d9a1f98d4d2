import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type Identity, issue } from '../../runtime/authority.ts'

/** An agent's host made of the public SDK: its discovery, registration, PKCE and refreshes. */

/** Sends a person's browser to an address; resolves when they have answered there. */
export type Person = (authorizeUrl: URL) => Promise<void>

type HostOptions = {
  readonly url: URL
  readonly person: Person
  /** Address of a metadata document; absent: the host registers itself. */
  readonly document?: string
  readonly era?: 'auto' | 'legacy'
}

export type AgentHost = Awaited<ReturnType<typeof startAgentHost>>

/** Starts a host that has no tokens yet; it signs in at `connect`. */
export async function startAgentHost({ url, person, document, era = 'auto' }: HostOptions) {
  const callback = await startCallback()
  const memory: Memory = {}
  const provider = remember(memory, { redirectUrl: callback.url, document })
  const clients: Client[] = []

  async function open(): Promise<Client> {
    const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
    const client = new Client(
      { name: 'test-host', version: '1.0.0' },
      { versionNegotiation: { mode: era } },
    )
    try {
      await client.connect(transport)
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || memory.authorizeUrl === undefined) throw error
      const { authorizeUrl } = memory
      memory.authorizeUrl = undefined
      const answer = callback.next()
      await person(authorizeUrl)
      await transport.finishAuth(await answer)
      return await open()
    }
    clients.push(client)
    return client
  }

  return {
    memory,
    provider,
    connect: open,
    async stop() {
      await Promise.all(clients.map((client) => client.close()))
      await stopServer(callback.server)
    },
  }
}

/** What a host keeps of its sign-in. */
export type Memory = {
  client?: StoredOAuthClientInformation
  tokens?: StoredOAuthTokens | undefined
  verifier?: string
  discovered?: OAuthDiscoveryState
  /** Set while the person has to answer. */
  authorizeUrl?: URL | undefined
}

function remember(
  memory: Memory,
  { redirectUrl, document }: { redirectUrl: string; document: string | undefined },
): OAuthClientProvider {
  return {
    redirectUrl,
    ...(document !== undefined && { clientMetadataUrl: document }),
    clientMetadata: metadataOf(redirectUrl),
    clientInformation: () => memory.client,
    saveClientInformation(client) {
      memory.client = client
    },
    tokens: () => memory.tokens,
    saveTokens(tokens) {
      memory.tokens = tokens
    },
    redirectToAuthorization(authorizeUrl) {
      memory.authorizeUrl = authorizeUrl
    },
    saveCodeVerifier(verifier) {
      memory.verifier = verifier
    },
    codeVerifier: () => memory.verifier ?? '',
    saveDiscoveryState(discovered) {
      memory.discovered = discovered
    },
    discoveryState: () => memory.discovered,
    invalidateCredentials(what) {
      if (what === 'all' || what === 'tokens') memory.tokens = undefined
    },
  }
}

function metadataOf(redirectUri: string) {
  return {
    client_name: 'Test host',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** The address on this computer that the person's browser comes back to. */
async function startCallback() {
  let arrived: (answer: URLSearchParams) => void = () => undefined
  const server = createServer((request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    reply.end('You may close this page.')
    if (pathname === '/callback') arrived(searchParams)
  })
  const port = await listen(server)
  return {
    server,
    url: `http://127.0.0.1:${port}/callback`,
    async next(): Promise<URLSearchParams> {
      return await new Promise((resolve) => {
        arrived = resolve
      })
    },
  }
}

/**
 * Serves a metadata document over https at loopback, with redirect addresses that name no port, as
 * Claude Code's does.
 */
export async function serveClientDocument(authority: Identity) {
  const subject = { role: 'scheduler', hosts: ['127.0.0.1'] } as const
  let hits = 0
  const server = createTlsServer(await issue(authority, { subject, days: 1 }), (request, reply) => {
    hits += 1
    const client_id = `https://${request.headers.host}${request.url}`
    const document = { client_id, ...metadataOf('http://127.0.0.1/callback') }
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  const host = `127.0.0.1:${await listen(server)}`
  return {
    host,
    url: `https://${host}/client.json`,
    hits: () => hits,
    close: () => stopServer(server),
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function stopServer(server: Server & { closeAllConnections(): void }): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
