import { Type } from 'typebox'
import { agentProfiles } from '../core/accounts/agent-profiles.ts'
import { FarmError } from '../core/errors.ts'
import { disconnectAgent, listAgentGrants } from '../store/db/agents/list-agent-grants.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { IdOrName, Nullable, Time, Uuid } from './schemas.ts'

const AgentSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  clientId: Type.String(),
  clientName: Type.String(),
  redirectHost: Type.String(),
  email: Type.String({ description: 'User who connected it' }),
  profile: Type.Enum([...agentProfiles]),
  renderCap: Nullable(Type.Integer()),
  totalCap: Nullable(Type.Integer()),
  bulkCap: Nullable(Type.Integer()),
  creditsSpent: Type.Integer(),
  createdAt: Time,
  lastUsedAt: Nullable(Time),
  expiresAt: Time,
})

export const listAgentsOperation = read({
  ...{ id: 'operatorListAgents', path: '/accounts/:account/agents', role: 'viewer' },
  summary: 'List the agents that are connected to an account',
  params: Type.Object({ account: IdOrName }),
  answer: Type.Object({ agents: Type.Array(AgentSchema) }),
  async run({ db }, { account }) {
    const { id } = await requireAccount(db, account)
    return { agents: await listAgentGrants(db, id) }
  },
})

export const disconnectAgentOperation = change({
  ...{ id: 'operatorDisconnectAgent', path: '/accounts/:account/agents/:agent/disconnect' },
  ...{ role: 'admin', answer: AgentSchema },
  summary: 'Disconnect an agent: its tokens are refused from now on',
  params: Type.Object({ account: IdOrName, agent: Uuid }),
  async run({ db }, { account, agent: grantId, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `agents disconnect ${grantId}`, subject: accountId, why, actor }
    return await act(db, done, async (tx) => {
      const grant = { accountId, grantId, reason: 'disconnected by an operator' }
      const disconnected = await disconnectAgent(tx, grant)
      if (disconnected) return disconnected
      const rule = 'AGENT must be the id of a connected agent of the account'
      throw new FarmError('not_found', `${rule}. Got ${grantId}`)
    })
  },
})
