import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { runAsAgent } from '../../../api/gateway/agent-calls.ts'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { endAgentGrant } from '../../../store/db/agents/end-agent-grant.ts'
import { cancelBulk } from '../../../store/db/bulks/cancel-bulk.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { topUpHold } from '../../../store/db/jobs/top-up-hold.ts'
import { film, startGateway } from '../gateway.ts'
import { callOf, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())
const { db, server } = gateway

async function agentWith(allowance: Record<string, unknown>) {
  const host = await startHost(gateway, { credits: 100_000 })
  await sql`update accounts set plan = 'studio' where id = ${host.customer.accountId}`.execute(db)
  const { access_token: token } = await host.connect({ profile: 'automation', ...allowance })
  const agent = await findAgentToken(gateway.context, token)
  if (agent === undefined) throw new Error('The token must be accepted')
  const { accountId } = host.customer
  const { grantId } = agent.credential
  const send = async (url: string, body: unknown) =>
    await runAsAgent(callOf(agent), async () =>
      server.inject({
        ...{ method: 'POST', url, payload: JSON.stringify(body) },
        headers: { 'content-type': 'application/json' },
      }),
    )
  return {
    ...{ accountId, grantId },
    render: async (duration = 2) =>
      await send('/api/render/api-key', { payload: { ...film, duration }, jobId: randomUUID() }),
    quote: async () => (await send('/api/quotes', { payload: film })).json(),
    renderQuote: async (id: string) => await send(`/api/quotes/${id}/render`, {}),
    bulk: async (items: number) =>
      await send('/api/render/bulk/api-key', {
        payload: film,
        items: Array.from({ length: items }, () => ({ jobId: randomUUID() })),
      }),
    async spent() {
      const { rows } = await sql<{ spent: number; held: number }>`
        select credits_spent as spent, (select coalesce(sum(credits_reserved), 0)::bigint from jobs
          where agent_grant_id = g.id) as held
        from agent_grants g where id = ${grantId}`.execute(db)
      return rows[0]
    },
  }
}

const priceOf = async () => {
  const agent = await agentWith({})
  return (await agent.render()).json().creditsReserved as number
}

test('fifty renders at once never exceed the cap', async (t) => {
  const price = await priceOf()
  const agent = await agentWith({ totalCap: price * 20 + 1 })
  const replies = await Promise.all(Array.from({ length: 50 }, () => agent.render()))
  t.is(replies.filter(({ statusCode }) => statusCode === 202).length, 20)
  for (const reply of replies.filter(({ statusCode }) => statusCode !== 202)) {
    t.is(reply.statusCode, 402, reply.body)
    t.regex(
      reply.json().message,
      /fit its spending cap of \d+ credits\. Got \d+, but 1 is left; a user/,
    )
  }
  t.deepEqual(await agent.spent(), { spent: price * 20, held: price * 20 })
})

test('a render above the cap for one is refused with both numbers', async (t) => {
  const price = await priceOf()
  const agent = await agentWith({ renderCap: price })
  t.is((await agent.render()).statusCode, 202)
  const refused = await agent.render(60)
  t.is(refused.statusCode, 402, refused.body)
  t.regex(
    refused.json().message,
    new RegExp(`must cost at most ${price} credits. Got \\d+; a user`),
  )
  t.is(refused.json().creditsAvailable, price)
  t.like(refused.json().details[0], { field: 'renderCap', code: 'insufficient_credits' })
  t.deepEqual(await agent.spent(), { spent: price, held: price })
})

test('a second quote that exceeds the cap with the first is refused', async (t) => {
  const price = await priceOf()
  const agent = await agentWith({ totalCap: Math.ceil(price * 1.2) })
  const [one, two] = [await agent.quote(), await agent.quote()]
  t.is(one.creditsRequired, price)
  t.is((await agent.renderQuote(one.id)).statusCode, 202)
  const refused = await agent.renderQuote(two.id)
  t.is(refused.statusCode, 402, refused.body)
  t.is((await agent.renderQuote(one.id)).statusCode, 202)
  t.deepEqual(await agent.spent(), { spent: price, held: price })
})

test('a bulk keeps to the connection’s items and counts as its sum', async (t) => {
  const agent = await agentWith({ bulkCap: 3 })
  const refused = await agent.bulk(4)
  t.is(refused.statusCode, 402, refused.body)
  t.like(refused.json(), { code: 'insufficient_credits', details: [{ field: 'bulkCap' }] })
  t.regex(refused.json().message, /at most 3 items/)
  const taken = await agent.bulk(3)
  t.is(taken.statusCode, 202, taken.body)
  const { creditsReserved, bulkId } = taken.json()
  t.deepEqual(await agent.spent(), { spent: creditsReserved, held: creditsReserved })
  const { rows } = await sql<{ grant: string }>`
    select agent_grant_id as grant from bulks where id = ${bulkId}`.execute(db)
  t.is(rows[0]?.grant, agent.grantId)
  await cancelBulk(db, { accountId: agent.accountId, bulkId, reason: 'test' })
  t.is((await agent.spent())?.spent, 0)
})

test('a job not charged in full gives credits back to the cap', async (t) => {
  const agent = await agentWith({})
  const { jobId } = (await agent.render()).json()
  await settleJob(db, {
    ...{ accountId: agent.accountId, jobId, reason: 'test' },
    settlement: { to: 'failed', error: { code: 'internal', message: 'test', details: [] } },
  })
  t.is((await agent.spent())?.spent, 0)
})

test('a hold grows within the caps only', async (t) => {
  const price = await priceOf()
  const agent = await agentWith({ renderCap: price + 10, totalCap: price + 5 })
  const { jobId } = (await agent.render()).json()
  const raise = async (credits: number) =>
    await topUpHold(db, { accountId: agent.accountId, jobId, credits })
  t.like(await raise(price + 11), { outcome: 'agent-refused', refusal: { why: 'render' } })
  t.like(await raise(price + 6), { outcome: 'agent-refused', refusal: { why: 'total', left: 5 } })
  t.deepEqual(await raise(price + 5), { outcome: 'held', held: price + 5 })
  t.is((await agent.spent())?.spent, price + 5)
})

test('a disconnected agent spends nothing, even in a call that had begun', async (t) => {
  const agent = await agentWith({})
  await endAgentGrant(db, { id: agent.grantId, reason: 'test' })
  const refused = await agent.render()
  t.is(refused.statusCode, 403, refused.body)
  t.regex(refused.json().message, /has been disconnected; connect it again/)
  t.is((await agent.spent())?.spent, 0)
})
