import { randomUUID } from 'node:crypto'
import test from 'ava'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

test('a submission gets 202, a job and a hold during any outage', async (t) => {
  const { post, get } = await gateway.customer(10)
  const reply = await post(renderPath, requestOf())
  t.is(reply.statusCode, 202)
  const { jobId, ...rest } = reply.json()
  t.is(rest.status, 'queued')
  t.is(rest.creditsReserved, 2)
  t.true(rest.queuePosition >= 1)
  const job = (await get(`/api/jobs/${jobId.toUpperCase()}`)).json()
  t.is(job.state, 'queued')
  t.is(job.progress, 0)
  t.is(job.creditsReserved, 2)
  t.deepEqual((await get('/api/credits/balance')).json(), {
    balance: 10,
    reserved: 2,
    available: 8,
  })
})

test('a jobId is used once, by the first that submits it', async (t) => {
  const one = await gateway.customer()
  const other = await gateway.customer()
  const request = requestOf()
  t.is((await one.post(renderPath, request)).statusCode, 202)
  for (const { post } of [one, other]) {
    const reply = await post(renderPath, request)
    t.is(reply.statusCode, 409)
    t.is(reply.json().code, 'conflict')
    t.is(reply.json().details[0].field, 'jobId')
  }
})

test('text that no row holds is refused by path, also in validation', async (t) => {
  const { post } = await gateway.customer(10)
  const request = { payload: film, variables: { list: ['fine', 'A\0'] } }
  for (const path of [renderPath, '/api/render/validate/api-key', '/api/credits/estimate']) {
    const reply = await post(path, request)
    t.is(reply.statusCode, 422, path)
    t.deepEqual(
      reply.json().details.map(({ field }: { field: string }) => field),
      ['variables.list[1]'],
    )
  }
})

test('a job beyond the balance is refused with both sums', async (t) => {
  const { post, get } = await gateway.customer(1)
  const reply = await post(renderPath, requestOf())
  t.is(reply.statusCode, 402)
  t.like(reply.json(), { creditsRequired: 2, creditsAvailable: 1, code: 'insufficient_credits' })
  t.is((await get('/api/credits/balance')).json().reserved, 0)
})

test('warnings are shown by validation and stored with the job', async (t) => {
  const { post, get } = await gateway.customer()
  const visuals = [{ type: 'TEXT', text: 'Hi', style: { color: '#eee' } }]
  const request = { payload: { ...film, visuals } }
  const { warnings } = (await post('/api/render/validate/api-key', request)).json()
  t.is(warnings.length, 1)
  t.like(warnings[0], { field: 'visuals[0]', code: 'low_contrast' })
  t.regex(warnings[0].message, /^"Hi" has a contrast of 1\.1:1/)
  const { jobId } = (await post(renderPath, request)).json()
  t.deepEqual((await get(`/api/jobs/${jobId}`)).json().warnings, warnings)
})

test('hostile URLs and $schema are named beside other faults of shape', async (t) => {
  const { post } = await gateway.customer()
  const visuals = [{ type: 'IMAGE', src: 'http://169.254.169.254/' }]
  const payload = {
    ...film,
    $schema: '../schema.json',
    visuals,
    audios: [{ src: 'https://a.com:22/x' }],
  }
  const reply = await post(renderPath, { payload })
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual(fields.sort(), ['$schema', 'audios[0].src', 'visuals[0].src'])
})

test('one answer names every fault of a request with field and pointer', async (t) => {
  const { post } = await gateway.customer()
  const visuals = [{ type: 'TEXT' }, { type: 'IMAGE', src: 'file:///etc/passwd' }]
  const reply = await post(renderPath, { payload: { ...film, visuals, frameRate: 99, colour: 1 } })
  t.is(reply.statusCode, 400)
  t.true(String(reply.headers['content-type']).startsWith('application/problem+json'))
  const problem = reply.json()
  t.is(problem.status, 400)
  t.is(problem.detail, problem.message)
  const fields = problem.details.map(({ field }: { field: string }) => field)
  t.true(fields.includes('frameRate'))
  t.true(fields.includes('colour'))
  t.true(problem.details.every(({ pointer }: { pointer: string }) => /^(\/|$)/.test(pointer)))
})

test('a film beyond the plan is refused with the plan’s limits', async (t) => {
  const { post } = await gateway.customer()
  const reply = await post(renderPath, { payload: { ...film, duration: 301 } })
  t.is(reply.statusCode, 422)
  t.is(reply.json().code, 'plan_limit')
  t.is(reply.json().planLimits.durationSeconds, 300)
})

test('validating says what it would cost and creates nothing', async (t) => {
  const { post, get } = await gateway.customer()
  const reply = await post('/api/render/validate/api-key', requestOf())
  t.is(reply.statusCode, 200)
  t.like(reply.json(), {
    valid: true,
    creditsRequired: 2,
    payload: { width: 320, frameRate: 30 },
    warnings: [],
  })
  t.is((await get('/api/jobs')).json().total, 0)
  t.is((await post('/api/render/validate/api-key', {})).statusCode, 400)
})

test('text that is not JSON is refused with the place it breaks', async (t) => {
  const { post } = await gateway.customer()
  const texts: [string, string][] = [
    ['{"payload": x}', 'position 12 (line 1, column 13)'],
    ['{"a": 1,\n "b": [1, 2}', 'position 20 (line 2, column 12)'],
    ['{"a": 1', 'position 7'],
    ['{"a": 1} {', 'position 9'],
    ['{"a": "\u0001"}', 'position 7'],
    ['[01]', 'position 2'],
    ['{"a" 1}', 'position 5'],
    ['{"a": 1,}', 'position 8'],
    ['[1,]', 'position 3'],
    [`${' '.repeat(3000)}!`, 'position 3000'],
  ]
  for (const [text, place] of texts) {
    const reply = await post(renderPath, text)
    t.is(reply.statusCode, 400, text)
    t.true(reply.json().message.includes(place), `${text}: ${reply.json().message}`)
  }
})

test('bodies too large, compressed, of another type or not UTF-8 are refused', async (t) => {
  const { key, post } = await gateway.customer()
  const call = (headers: Record<string, string>, payload: string | Buffer) =>
    gateway.server.inject({
      ...{ method: 'POST', url: renderPath, payload },
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    })
  t.is((await post(renderPath, JSON.stringify('x'.repeat(2_000_000)))).statusCode, 413)
  t.is((await post(renderPath, JSON.stringify('x'.repeat(1_999_000)))).statusCode, 400)
  t.is((await call({ 'content-encoding': 'gzip' }, 'x')).statusCode, 415)
  t.is((await call({ 'content-type': 'text/plain' }, '{}')).statusCode, 415)
  t.is((await call({}, Buffer.from([0x22, 0xff, 0x22]))).statusCode, 400)
  t.is((await call({}, '')).statusCode, 400)
})

test('hostile names and depths are refused and harm nothing', async (t) => {
  const { post } = await gateway.customer()
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  // No schema covers these; a body that is no request at all is a fault of shape as well.
  const bodies = [
    `{"payload": {"__proto__": {"polluted": 1}}}`,
    `{"payload": {"variables": ${deep}}}`,
    deep,
  ]
  const statuses = await Promise.all(
    bodies.map(async (body) => (await post(renderPath, body)).statusCode),
  )
  t.deepEqual(statuses, [422, 422, 400])
  t.is(({} as Record<string, unknown>).polluted, undefined)
})

test('missing, malformed, unknown and revoked keys are refused alike, before reading bodies', async (t) => {
  const { key, accountId } = await gateway.customer()
  await gateway.db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('account_id', '=', accountId)
    .execute()
  const keys = [undefined, '', 'svc_', `svc_${'0'.repeat(64)}`, key, `${key}0`]
  const bodies = new Set<string>()
  for (const each of keys) {
    const reply = await gateway.server.inject({
      ...{ method: 'POST', url: renderPath, payload: 'x'.repeat(3_000_000) },
      headers: { ...(each !== undefined && { 'x-api-key': each }), 'content-encoding': 'gzip' },
    })
    t.is(reply.statusCode, 401)
    bodies.add(reply.body)
  }
  t.is(bodies.size, 1)
})

test('another account’s, unknown and malformed job ids find no job', async (t) => {
  const one = await gateway.customer()
  const other = await gateway.customer()
  const { jobId } = (await one.post(renderPath, requestOf())).json()
  t.is((await other.get(`/api/jobs/${jobId}`)).statusCode, 404)
  t.is((await other.post(`/api/jobs/${jobId}/cancel`)).statusCode, 404)
  t.is((await other.get(`/api/jobs/${randomUUID()}`)).statusCode, 404)
  t.is((await other.get('/api/jobs/not-a-uuid')).statusCode, 400)
  t.is((await other.get('/api/jobs/%00')).statusCode, 400)
  t.is((await one.get(`/api/jobs/${jobId}`)).json().state, 'queued')
})
