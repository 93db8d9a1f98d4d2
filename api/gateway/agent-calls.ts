import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { AgentCall } from './caller.ts'
import type { Server } from './typed-server.ts'

/** Calls of routes that count as the agent's one request; no tool needs as many. */
export const innerCallsCovered = 30

const calls = new AsyncLocalStorage<AgentCall>()

/** Describes a request of an agent that has called no route yet. */
export function agentCall({
  account: caller,
  id: requestId,
  tool,
}: Pick<FastifyRequest, 'account' | 'id'> & { readonly tool?: string | undefined }): AgentCall {
  return { caller, requestId, tool, inner: 0, made: undefined }
}

/**
 * Runs work whose calls of routes (`server.inject`) are an agent's, which signed in or has a key.
 * Nothing that is sent over the wire makes such a call: the agent is looked up by the hosted endpoint,
 * and its credential goes no further.
 */
export async function runAsAgent<T>(call: AgentCall, work: () => Promise<T>): Promise<T> {
  return await calls.run(call, work)
}

/**
 * Marks requests that this process makes for an agent. The agent's own request stands for them in
 * the access log, the metrics and the limit of its rate.
 */
export function markInnerCalls(server: Server): void {
  server.decorateRequest('innerOf', undefined)
  server.decorateRequest('agentCall', undefined)
  server.addHook('onRequest', async (request) => {
    const call = calls.getStore()
    if (call === undefined) return
    call.inner += 1
    request.innerOf = call
  })
  server.addHook('onResponse', async ({ innerOf, made }) => {
    if (innerOf) innerOf.made ??= made
  })
}
