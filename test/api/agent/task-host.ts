import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type RawClientDispatch,
} from '@modelcontextprotocol/ext-tasks/client'

const protocolVersion = '2026-07-28'
const clientInfo = { name: 'test-host', version: '1.0.0' }

export const tasksExtension = 'io.modelcontextprotocol/tasks'

type Request = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }
type Sent = {
  readonly status: number
  readonly result?: {
    readonly resultType?: string
    readonly inputRequests?: Readonly<Record<string, object>>
    readonly requestState?: string
    readonly status?: string
    readonly statusMessage?: string
    readonly result?: { readonly isError?: boolean; readonly content: readonly { text: string }[] }
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Sends one request of the newest revision, as it is. */
export async function send(
  url: URL,
  { method, params }: Request,
  headers: Record<string, string>,
): Promise<Sent> {
  const name = params.taskId ?? params.name
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': protocolVersion, 'mcp-method': method },
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = await reply.text()
  // An answer may also be the last event of a stream.
  const text = /(?:^|\n)data: (.*)\s*$/.exec(body)?.[1] ?? body
  return { ...(JSON.parse(text) as Omit<Sent, 'status'>), status: reply.status }
}

/** Returns what a request says of its client; `takesTasks`: that it knows the extension. */
export function envelope(takesTasks = true, capabilities: object = {}) {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {
        ...capabilities,
        ...(takesTasks && { extensions: { [tasksExtension]: {} } }),
      },
    },
  }
}

/**
 * Connects a host that takes tasks: the public client of the extension, which knows nothing of this
 * project and checks what it gets against the extension's schema.
 */
export async function connectTaskHost(url: URL, headers: Record<string, string>) {
  const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  const rawDispatch: RawClientDispatch = async (request) => {
    const { result, error } = await send(url, request as Request, headers)
    const response = error ? { kind: 'error', error } : { kind: 'result', result }
    return response as JsonRpcResponse
  }
  const v2RequestFraming = { protocolVersion, clientInfo, clientCapabilities: {} }
  const session = createTaskSessionFromClient(client, {
    ...{ endpointId: url.href, rawDispatch, v2RequestFraming },
  })
  return { client, session }
}
