import { disconnectAgentOperation, listAgentsOperation } from '../../operator/agents.ts'
import type { AgentGrantView } from '../../store/db/agents/list-agent-grants.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerRows, operateFarm } from './operate.ts'
import type { TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

export async function showAgents({ account, json }: OfAccount): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { agents } = await farm.run(listAgentsOperation, { account })
    return answerRows(agents.map(rowOf))
  })
}

export async function endAgent({
  account,
  agent,
  why,
  ...options
}: OfAccount & ActOptions & { agent: string }): Promise<void> {
  await operateFarm(options, async (farm) => {
    const ended = await farm.run(disconnectAgentOperation, { account, agent, why })
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
