import { Readable } from 'node:stream'
import { runAsAgent } from '../gateway/agent-calls.ts'
import type { AgentCall } from '../gateway/caller.ts'
import type { Server } from '../gateway/typed-server.ts'

/** Base of the addresses of inner requests, which no name server knows. */
export const innerUrl = 'http://farm.invalid'

/**
 * Returns a `fetch` whose requests reach this server's own routes as the agent's, without a socket
 * and without a credential. They have the id of its request in the log.
 */
export function innerFetch(server: Pick<Server, 'inject'>, call: AgentCall): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const { method = 'GET', headers, body, signal } = init
    signal?.throwIfAborted()
    const answer = await runAsAgent(call, async () =>
      server.inject({
        method: method as 'GET',
        url: `${pathname}${search}`,
        headers: { ...Object.fromEntries(new Headers(headers)), 'x-request-id': call.requestId },
        ...(typeof body === 'string' && { payload: body }),
        ...(signal && { signal }),
        payloadAsStream: true,
      }),
    )
    const has = answer.statusCode !== 204 && answer.statusCode !== 304
    const stream = has ? (Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>) : null
    const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    return new Response(stream, { status: answer.statusCode, headers: shown })
  }
}
