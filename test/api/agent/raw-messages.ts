import { envelope } from './task-host.ts'

/** Messages to the endpoint without a client that would mend them. */

export const modern = '2026-07-28'
const legacy = '2025-06-18'

export type Sent = {
  readonly method?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** Sends one request to the endpoint as it is, and reads its answer, which may be a stream's event. */
export async function send(
  url: URL,
  own: Record<string, string>,
  { method = 'POST', query = '', ...sent }: Sent,
) {
  const { body } = sent
  const all = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-protocol-version': legacy, ...own, ...sent.headers },
  }
  const headers = Object.entries(all).filter(
    (each): each is [string, string] => each[1] !== undefined,
  )
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(`${url}${query}`, {
    ...{ method, headers },
    ...(method === 'POST' && { body: text }),
  })
  const answer = await reply.text()
  return {
    status: reply.status,
    challenge: reply.headers.get('www-authenticate') ?? '',
    json: JSON.parse(/(?:^|\n)data: (.*)\s*$/.exec(answer)?.[1] ?? answer),
  }
}

export const message = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})
/** A message of the newest revision, with its headers. */
export const asModern = (method: string, params: Record<string, unknown> = {}): Sent => ({
  body: message(method, { ...params, ...envelope(false) }),
  headers: {
    ...{ 'mcp-protocol-version': modern, 'mcp-method': method },
    'mcp-name': (params.name ?? params.uri) as string | undefined,
  },
})
