import { randomUUID } from 'node:crypto'
import test from 'ava'
import { innerCallsCovered, runAsAgent } from '../../../api/gateway/agent-calls.ts'
import { credentialIdOf } from '../../../api/gateway/caller.ts'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { listLiveCredentials } from '../../../store/db/accounts/list-live-credentials.ts'
import { endAgentGrant } from '../../../store/db/agents/end-agent-grant.ts'
import { film, startGateway } from '../gateway.ts'
import { callOf, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

async function agentOf(profile: string) {
  const host = await startHost(gateway)
  const { access_token: token } = await host.connect({ profile })
  const agent = await findAgentToken(gateway.context, token)
  if (agent === undefined) throw new Error('The token must be accepted')
  const call = async (method: Method, url: string, body?: unknown) =>
    await runAsAgent(callOf(agent), async () =>
      gateway.server.inject({
        ...{ method, url },
        ...(body !== undefined && {
          payload: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      }),
    )
  return { host, agent, call }
}

test('an agent calls what keys may call, as its profile allows', async (t) => {
  const render = { payload: film, jobId: randomUUID() }
  const readonly = await agentOf('readonly')
  t.is((await readonly.call('GET', '/api/jobs')).statusCode, 200)
  t.is((await readonly.call('GET', '/api/templates')).statusCode, 200)
  const refused = await readonly.call('POST', '/api/render/api-key', render)
  t.is(refused.statusCode, 403)
  t.regex(refused.json().message, /profile of the connected agent must allow this.*Got readonly/)
  t.is((await readonly.call('POST', '/api/templates', {})).statusCode, 403)
  const creator = await agentOf('creator')
  t.is((await creator.call('POST', '/api/render/api-key', render)).statusCode, 202)
  t.is((await creator.call('GET', '/api/webhooks')).statusCode, 403)
  t.is((await creator.call('GET', '/api/api-keys')).statusCode, 403)
  t.is((await creator.call('POST', '/api/auth/sign-out')).statusCode, 403)
  const automation = await agentOf('automation')
  t.is((await automation.call('GET', '/api/webhooks')).statusCode, 200)
  const gone = '/api/templates/tpl_00000000000000000000'
  t.is((await automation.call('DELETE', gone)).statusCode, 403)
  const developer = await agentOf('developer')
  t.is((await developer.call('DELETE', gone)).statusCode, 404)
})

test('an agent acts for its connecting user', async (t) => {
  const { host, call } = await agentOf('creator')
  const profile = await call('GET', '/api/user/profile')
  t.is(profile.json().user.id, host.person.userId)
  t.is((await gateway.server.inject('/api/user/profile')).statusCode, 401)
})

test('calls of one request count in the agent’s rate beyond thirty', async (t) => {
  const { agent } = await agentOf('creator')
  const call = callOf(agent)
  const ask = async () => {
    const reply = await gateway.server.inject('/api/user/profile')
    t.is(reply.statusCode, 200)
    return reply.headers['ratelimit-limit']
  }
  for (let i = 0; i < innerCallsCovered; i += 1) t.is(await runAsAgent(call, ask), undefined)
  t.is(Number(await runAsAgent(call, ask)), agent.limits.keyRequestsPerMinute)
  t.is(await runAsAgent(callOf(agent), ask), undefined)
})

test('agents do not use up what addresses may ask without credential', async (t) => {
  const replica = await gateway.startReplica({ strangersPerMinute: 3 })
  const { agent } = await agentOf('readonly')
  const ask = async () => (await replica.server.inject('/api/render/schema')).statusCode
  for (let i = 0; i < 10; i += 1) t.is(await runAsAgent(callOf(agent), ask), 200)
  t.deepEqual([await ask(), await ask(), await ask(), await ask()], [200, 200, 200, 429])
  await replica.stop()
})

test('the credential of an agent ends with its connection', async (t) => {
  const { agent } = await agentOf('readonly')
  const { grantId } = agent.credential
  const live = async () => [
    ...(await listLiveCredentials(gateway.db, { accountId: agent.accountId, ids: [grantId] })),
  ]
  t.is(credentialIdOf(agent.credential), grantId)
  t.deepEqual(await live(), [grantId])
  await endAgentGrant(gateway.db, { id: grantId, reason: 'test' })
  t.deepEqual(await live(), [])
})
