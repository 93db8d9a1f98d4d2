import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from './caller.ts'

const agents = new AsyncLocalStorage<Caller>()

/**
 * Runs work whose calls of routes (`server.inject`) are an agent's, which signed in or has a key.
 * Nothing that is sent over the wire makes such a call: the agent is looked up by the hosted endpoint,
 * and its credential goes no further.
 */
export async function runAsAgent<T>(agent: Caller, work: () => Promise<T>): Promise<T> {
  return await agents.run(agent, work)
}

export function currentAgent(): Caller | undefined {
  return agents.getStore()
}
