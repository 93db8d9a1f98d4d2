import test from 'ava'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { startGateway } from '../gateway.ts'
import { mcpUrl, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const isAccepted = async (token: string) =>
  (await findAgentToken({ db: gateway.db, mcpUrl }, token)) !== undefined
const statuses = (replies: readonly { statusCode: number }[], status: number) =>
  replies.filter(({ statusCode }) => statusCode === status).length

const rounds = 100

test.serial('one of ten parallel code uses wins; the others end its tokens', async (t) => {
  const host = await startHost(gateway)
  for (let round = 0; round < rounds; round += 1) {
    const consented = await host.consent()
    const replies = await Promise.all(Array.from({ length: 10 }, () => host.redeem(consented)))
    t.is(statuses(replies, 200), 1, `round ${round}`)
    t.is(statuses(replies, 400), 9)
    const won = replies.find(({ statusCode }) => statusCode === 200)?.json()
    t.false(await isAccepted(won.access_token))
  }
})

test.serial('refresh races at grace 30 have one successor and sign nobody out', async (t) => {
  const host = await startHost(gateway)
  let { refresh_token: token } = await host.connect()
  for (let round = 0; round < rounds; round += 1) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => host.refresh(token)))
    t.is(statuses(replies, 200), 10, `round ${round}`)
    const answers = replies.map((reply) => reply.json())
    t.is(new Set(answers.map((answer) => answer.refresh_token)).size, 1)
    if (round % 10 === 0) {
      for (const { access_token } of answers) t.true(await isAccepted(access_token))
    }
    token = answers[0].refresh_token
  }
})

test.serial('token reuse after the successor’s use ends the grant at grace 30', async (t) => {
  const host = await startHost(gateway)
  for (let round = 0; round < rounds; round += 1) {
    const first = await host.connect()
    const second = (await host.refresh(first.refresh_token)).json()
    const third = (await host.refresh(second.refresh_token)).json()
    t.true(await isAccepted(third.access_token))
    const reused = await host.refresh(first.refresh_token)
    t.is(reused.json().error, 'invalid_grant')
    t.false(await isAccepted(third.access_token))
    t.is((await host.refresh(third.refresh_token)).statusCode, 400)
  }
})

test.serial('any reuse of a refresh token ends the grant at grace 0', async (t) => {
  const oauth = readOAuthSettings({ FARM_OAUTH_REFRESH_GRACE_S: '0' }, 'https://farm.example.com')
  const strict = await gateway.startReplica({ oauth })
  const host = await startHost(gateway)
  for (let round = 0; round < rounds; round += 1) {
    const { refresh_token: token } = await host.connect()
    const first = (await host.refresh(token, {}, strict.server)).json()
    t.true(await isAccepted(first.access_token))
    const second = await host.refresh(token, {}, strict.server)
    t.is(second.json().error, 'invalid_grant')
    t.false(await isAccepted(first.access_token))
  }
  const { refresh_token: token } = await host.connect()
  const racing = await Promise.all(
    Array.from({ length: 10 }, () => host.refresh(token, {}, strict.server)),
  )
  t.is(statuses(racing, 200), 1)
  await strict.stop()
})
