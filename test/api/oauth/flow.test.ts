import test from 'ava'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { startGateway } from '../gateway.ts'
import { mcpUrl, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

test('a client registers, its person consents, and the token stands for the grant', async (t) => {
  const host = await startHost(gateway)
  t.is(host.registered.statusCode, 201, host.registered.body)
  const consented = await host.consent({ profile: 'automation', totalCap: 500 })
  t.is(consented.answer.searchParams.get('iss'), 'https://farm.example.com')
  t.is(consented.answer.searchParams.get('state'), 'a state')
  const reply = await host.redeem(consented)
  t.is(reply.statusCode, 200, reply.body)
  const tokens = reply.json()
  t.is(tokens.expires_in, 3600)
  t.is(tokens.scope, 'service:mcp')
  t.is(tokens.id_token, undefined)
  t.is(tokens.token_type, 'Bearer')
  const caller = await findAgentToken({ db: gateway.db, mcpUrl }, tokens.access_token)
  t.is(caller?.accountId, host.customer.accountId)
  t.like(caller?.credential, {
    ...{ kind: 'agent', userId: host.person.userId, profile: 'automation' },
    caps: { renderCap: 120, totalCap: 500, bulkCap: 25 },
  })
  const refreshed = await host.refresh(tokens.refresh_token)
  t.is(refreshed.statusCode, 200, refreshed.body)
})
