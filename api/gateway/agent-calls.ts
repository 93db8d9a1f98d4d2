import { AsyncLocalStorage } from 'node:async_hooks'
import type { AgentCaller } from '../oauth/agent-tokens.ts'

const agents = new AsyncLocalStorage<AgentCaller>()

/**
 * Runs work whose calls of routes (`server.inject`) are an agent's. Nothing that is sent over the
 * wire makes such a call: the agent is looked up by the hosted endpoint, and its token goes no
 * further.
 */
export async function runAsAgent<T>(agent: AgentCaller, work: () => Promise<T>): Promise<T> {
  return await agents.run(agent, work)
}

export function currentAgent(): AgentCaller | undefined {
  return agents.getStore()
}
