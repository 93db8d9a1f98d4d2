import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { withinMinute } from '../within-minute.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const { keyRequestsPerMinute: perKey, requestsPerMinute: perAccount } = plans.free

test('a key is served its minute’s requests, then told when to return', async (t) => {
  const { first, rest } = await withinMinute(gateway, async () => {
    const customer = await gateway.customer()
    const ask = () => customer.get('/api/user/profile')
    return {
      first: await ask(),
      rest: await Promise.all(Array.from({ length: perKey + 9 }, ask)),
    }
  })
  t.is(first.headers['ratelimit-limit'], String(perKey))
  t.is(first.headers['ratelimit-remaining'], String(perKey - 1))
  const refused = rest.filter(({ statusCode }) => statusCode === 429)
  t.is(refused.length, 10)
  t.is(rest.filter(({ statusCode }) => statusCode === 200).length, perKey - 1)
  const [answer] = refused
  t.is(answer?.json().code, 'too_many_requests')
  t.is(answer?.json().message, `The key may send ${perKey} requests a minute. Got more`)
  t.is(answer?.headers['ratelimit-remaining'], '0')
  const wait = Number(answer?.headers['retry-after'])
  t.true(wait >= 1 && wait <= 60)
})

test('a farm of one’s own is asked as often as one likes', async (t) => {
  const own = await gateway.startReplica({ rateLimits: 'off' })
  t.teardown(() => own.stop())
  const { key } = await gateway.customer()
  const ask = () => own.server.inject({ url: '/api/user/profile', headers: { 'x-api-key': key } })
  const answers = await Promise.all(Array.from({ length: perKey + 9 }, ask))
  t.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
})

test('two replicas together serve an account no more than its requests', async (t) => {
  const replica = await gateway.startReplica()
  t.teardown(() => replica.stop())
  const answers = await withinMinute(gateway, async () => {
    const customer = await gateway.customer()
    const keys = [customer.key, await customer.anotherKey(), await customer.anotherKey()]
    const asked = Array.from({ length: perAccount + 30 }, (_, i) => {
      const server = i % 2 === 0 ? gateway.server : replica.server
      const headers = { 'x-api-key': keys[i % keys.length] }
      return server.inject({ method: 'GET', url: '/api/user/profile', headers })
    })
    return await Promise.all(asked)
  })
  const statuses = answers.map(({ statusCode }) => statusCode)
  const served = statuses.filter((status) => status === 200).length
  t.true(served <= perAccount, `${served} served`)
  t.true(served > perAccount * 0.8, `${served} served`)
  t.is(statuses.filter((status) => status === 429).length, statuses.length - served)
  const stranger = await gateway.customer()
  t.is((await stranger.get('/api/user/profile')).statusCode, 200)
})

test('no cache on the way keeps what one customer is answered', async (t) => {
  const customer = await gateway.customer()
  for (const path of ['/api/user/profile', '/api/jobs', '/api/nothing']) {
    t.is((await customer.get(path)).headers['cache-control'], 'no-store', path)
  }
})

test('browsers of any origin may ask, but show nothing as a page', async (t) => {
  const origin = 'https://studio.example.com'
  const preflight = await gateway.server.inject({
    method: 'OPTIONS',
    url: '/api/render/api-key',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  t.is(preflight.statusCode, 204)
  t.regex(String(preflight.headers['access-control-allow-headers']), /X-Api-Key/)
  t.regex(String(preflight.headers['access-control-allow-methods']), /PUT, PATCH, DELETE/)
  const customer = await gateway.customer()
  const answer = await customer.get('/api/user/profile')
  t.is(answer.headers['access-control-allow-origin'], '*')
  t.is(answer.headers['access-control-allow-credentials'], undefined)
  t.regex(String(answer.headers['content-security-policy']), /default-src 'none'/)
  t.is(answer.headers['x-content-type-options'], 'nosniff')
  const docs = await gateway.server.inject({ method: 'GET', url: '/docs/' })
  t.is(docs.statusCode, 200)
  t.regex(String(docs.headers['content-security-policy']), /script-src 'self'/)
  t.notRegex(docs.body, /https?:\/\/(?!www\.w3\.org)[a-z.]+\.(?:com|net|dev)\/[^"']*\.(?:js|css)/)
})
