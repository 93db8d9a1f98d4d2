import test from 'ava'
import { pino } from 'pino'
import { startOtlpReceiver } from '../../../infra/local/otlp-receiver.ts'
import { openTracing } from '../../../runtime/tracing/open.ts'
import { traceIdOf } from '../../../runtime/tracing/places.ts'
import { film, renderPath, startGateway } from '../gateway.ts'

const collector = await startOtlpReceiver()
Object.assign(process.env, collector.env)
const log = pino({ level: 'silent' })
const tracing = await openTracing({ role: 'api', env: process.env, log })
const gateway = await startGateway({ tracing })
test.after.always(async () => {
  await gateway.stop()
  await tracing.stop()
  collector.close()
})

/** Returns the span of a request, once it has arrived. */
async function spanOf(call: () => Promise<unknown>) {
  const before = collector.spans.length
  await call()
  while (collector.spans.length === before) await new Promise((resolve) => setTimeout(resolve, 20))
  const [span, ...others] = collector.spans.slice(before)
  if (!span || others.length > 0) throw new Error(`One span must come. Got ${others.length + 1}`)
  return span
}

test.serial('a request is a span with its route’s name, without its query', async (t) => {
  const customer = await gateway.customer()
  const id = '11111111-2222-4333-8444-555555555555'
  const span = await spanOf(() => customer.get(`/api/jobs/${id}`))
  t.like(span, { name: 'GET /api/jobs/:id', service: 'farm-api', parentId: '', failure: '' })
  t.deepEqual(span.attributes, {
    'http.request.method': 'GET',
    'http.route': '/api/jobs/:id',
    'http.response.status_code': 404,
    'farm.account.id': customer.accountId,
  })
  const searching = await spanOf(() => customer.get('/api/jobs?search=hush'))
  t.like(searching, { name: 'GET /api/jobs', attributes: { 'http.response.status_code': 200 } })
  const nowhere = await spanOf(() => customer.get('/api/no/such/thing'))
  t.is(nowhere.name, 'GET')
  const sent = collector.bodies.join('\n')
  for (const secret of [id, 'hush', customer.key, 'such/thing']) t.false(sent.includes(secret))
})

test.serial('a request that makes a job begins its trace, whatever the caller’s', async (t) => {
  const { send } = await gateway.customer()
  const foreign = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
  const traceparent = `00-${foreign.traceId}-${foreign.spanId}-01`
  let jobId = ''
  const span = await spanOf(async () => {
    jobId = (await send('POST', renderPath, { payload: film }, { traceparent })).json().jobId
  })
  t.like(span, { name: `POST ${renderPath}`, traceId: traceIdOf(jobId), parentId: '' })
  t.is(span.attributes['farm.job.id'], jobId)
  t.like(span.links, [foreign])
  const zero = `00-${'0'.repeat(32)}-${foreign.spanId}-01`
  const unlinked = await spanOf(() => send('POST', renderPath, {}, { traceparent: zero }))
  t.deepEqual(unlinked.links, [])
  t.like(unlinked, { parentId: '', attributes: { 'http.response.status_code': 400 } })
})

test.serial('a request that makes a bulk begins the trace of that', async (t) => {
  const { send } = await gateway.customer()
  const body = { payload: film, items: [{ name: 'one' }, { name: 'two' }] }
  let bulkId = ''
  const span = await spanOf(async () => {
    bulkId = (await send('POST', '/api/render/bulk/api-key', body)).json().bulkId
  })
  t.like(span, { traceId: traceIdOf(bulkId), parentId: '' })
  t.is(span.attributes['farm.bulk.id'], bulkId)
})

test.serial('probes leave no span', async (t) => {
  const { get } = await gateway.customer()
  const span = await spanOf(async () => {
    for (const path of ['/healthz', '/readyz']) {
      t.is((await gateway.server.inject({ method: 'GET', url: path })).statusCode, 200)
    }
    await get('/api/user/profile')
  })
  t.is(span.name, 'GET /api/user/profile')
})
