import { type Static, Type } from 'typebox'
import { agentProfiles } from '../../core/accounts/agent-profiles.ts'
import { FarmError } from '../../core/errors.ts'
import {
  type AgentGrantView,
  changeAgentGrant,
  disconnectAgent,
  listAgentGrants,
} from '../../store/db/agents/list-agent-grants.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { pageOf, pageView, wholeQuery } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { IdParams, readUuid } from '../gateway/uuid.ts'
import { agentAllowance } from './consent-settings.ts'

const Change = Type.Object(agentAllowance, { additionalProperties: false })
const readChange = bodyReader(Change)

const Time = Type.String({ format: 'date-time' })
const AgentConnection = Type.Object({
  id: Type.String({ format: 'uuid' }),
  clientName: Type.String({ description: 'Name that the app gave itself; not verified' }),
  clientDocument: Type.Union([Type.String(), Type.Null()], {
    description: 'Address of the app’s metadata document; null: the app registered itself',
  }),
  redirectHost: Type.String({
    description: 'Host that its sign-in was answered to, or the scheme of a local app',
  }),
  connectedBy: Type.String({ description: 'Email of the user who connected it' }),
  profile: Type.Enum([...agentProfiles]),
  renderCap: Type.Integer({ description: 'Credits that one render may cost' }),
  totalCap: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Credits that its renders may cost in all; null: as many as the account has',
  }),
  bulkCap: Type.Integer({ description: 'Items that one bulk may have' }),
  creditsSpent: Type.Integer({ description: 'Credits held and charged so far' }),
  createdAt: Time,
  lastUsedAt: Type.Union([Time, Type.Null()]),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'End of the connection, if the agent does not refresh its token before',
  }),
})
const Connections = Type.Object({
  mcpUrl: Type.String({ format: 'uri', description: 'Address at which agents connect' }),
  connections: Type.Array(AgentConnection),
  ...pageView,
})

const path = '/api/agent-connections'
const about = { tags: ['agents'] }
const problems = { 400: Problem, 404: Problem }
/** Agents cannot change what their person allowed them, and keys are no persons. */
const config = { credentials: ['session'] } as const

/** GET /api/agent-connections; PATCH and DELETE of one. */
export function agentConnectionRoutes(
  server: Server,
  { mcpUrl }: Pick<GatewayContext, 'mcpUrl'>,
): void {
  const listing = {
    querystring: Type.Object(wholeQuery),
    response: { 200: Connections, 400: Problem },
  }
  server.get(path, { schema: { ...about, ...listing }, config }, async (request) => {
    const { db, account, query } = request
    const { items, ...page } = pageOf(await listAgentGrants(db, account.accountId), query)
    return { mcpUrl, connections: items.map(showConnection), ...page }
  })

  const one = { ...about, params: IdParams }
  const changing = {
    schema: { ...one, response: { 200: AgentConnection, ...problems, 422: Problem } },
    config: { ...config, body: Change },
  }
  server.patch(`${path}/:id`, changing, async ({ db, account, params, body }) => {
    const grantId = readUuid(params.id)
    const change: Static<typeof Change> = readChange(body)
    const changed = await changeAgentGrant(db, { accountId: account.accountId, grantId, ...change })
    if (!changed) throw notConnected(grantId)
    return showConnection(changed)
  })

  const Deleted = Type.Object({ deleted: Type.Literal(true) })
  const ending = { schema: { ...one, response: { 200: Deleted, ...problems } }, config }
  server.delete(`${path}/:id`, ending, async ({ db, account, params }) => {
    const grantId = readUuid(params.id)
    const grant = { accountId: account.accountId, grantId, reason: 'disconnected by a user' }
    if (!(await disconnectAgent(db, grant))) throw notConnected(grantId)
    return { deleted: true as const }
  })
}

function showConnection({ clientId, email, ...grant }: AgentGrantView) {
  const { createdAt, lastUsedAt, expiresAt, ...rest } = grant
  return {
    ...rest,
    clientDocument: clientId.startsWith('https://') ? clientId : null,
    connectedBy: email,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
  }
}

function notConnected(id: string): FarmError {
  const rule = 'The id must be one of a connected agent of the account'
  return new FarmError('not_found', `${rule}. Got ${id}`)
}
