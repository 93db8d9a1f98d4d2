import {
  type AgentGrantView,
  disconnectAgent,
  listAgentGrants,
} from '../../store/db/agents/list-agent-grants.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerRows, operate, requireAccount } from './operate.ts'
import type { TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

export async function showAgents({ account, json }: OfAccount): Promise<void> {
  await operate(json, async (db) => {
    const { id } = await requireAccount(db, account)
    return answerRows((await listAgentGrants(db, id)).map(rowOf))
  })
}

export async function endAgent({
  account,
  agent,
  json,
  ...options
}: OfAccount & ActOptions & { agent: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `agents disconnect ${agent}`, subject: accountId, ...options }
    const ended = await act(db, done, async (tx) => {
      const grant = { accountId, grantId: agent, reason: 'disconnected by an operator' }
      const disconnected = await disconnectAgent(tx, grant)
      if (disconnected) return disconnected
      throw new Failure(`AGENT must be the id of a connected agent of the account. Got ${agent}`)
    })
    return { json: { disconnected: true, ...rowOf(ended) }, text: `disconnected ${agent}` }
  })
}

function rowOf(grant: AgentGrantView): TableRow {
  const { id, clientName: name, redirectHost: host, email, profile, creditsSpent: spent } = grant
  return {
    ...{ id, name, host, user: email, profile, spent },
    ...{ render: grant.renderCap, total: grant.totalCap, bulk: grant.bulkCap },
    ...{ created: grant.createdAt, used: grant.lastUsedAt, expires: grant.expiresAt },
  }
}
