import { Readable } from 'node:stream'
import { runAsAgent } from '../gateway/agent-calls.ts'
import type { Caller } from '../gateway/caller.ts'
import type { Server } from '../gateway/typed-server.ts'

/** Base of the addresses of inner requests, which no name server knows. */
export const innerUrl = 'http://farm.invalid'

/**
 * Returns a `fetch` whose requests reach this server's own routes as the caller's, without a socket
 * and without a credential.
 */
export function innerFetch(server: Pick<Server, 'inject'>, caller: Caller): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const { method = 'GET', headers, body, signal } = init
    signal?.throwIfAborted()
    const answer = await runAsAgent(caller, async () =>
      server.inject({
        method: method as 'GET',
        url: `${pathname}${search}`,
        headers: Object.fromEntries(new Headers(headers)),
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
