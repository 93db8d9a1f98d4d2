import type { Body, Caller, CallOptions, Reply } from './caller.ts'

export type AgentConnection = Reply<'GET /api/agent-connections'>['connections'][number]
export type AgentConnectionChange = Body<'PATCH /api/agent-connections/{id}'>

/**
 * Methods for the agents that users connected to the account. They take a user's token
 * (`accessToken`), not a key.
 */
export function connectionMethods({ ask }: Caller) {
  return {
    /** Lists the connected agents, newest first. */
    async list(options: CallOptions = {}): Promise<readonly AgentConnection[]> {
      return (await ask('GET /api/agent-connections', options)).connections
    },

    /** Changes profile and caps from the agent's next call on. */
    change: (
      id: string,
      change: AgentConnectionChange,
      options: CallOptions = {},
    ): Promise<AgentConnection> =>
      ask('PATCH /api/agent-connections/{id}', { ...options, id, body: change }),

    /** Ends a connection at once. */
    async disconnect(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/agent-connections/{id}', { ...options, id })
    },
  }
}
