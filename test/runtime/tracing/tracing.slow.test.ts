import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { FarmError } from '../../../core/errors.ts'
import { startOtlpReceiver } from '../../../infra/local/otlp-receiver.ts'
import { attemptPlace, jobPlace, requestPlace, traceIdOf } from '../../../runtime/tracing/places.ts'
import type { Tracing } from '../../../runtime/tracing/tracing.ts'

const resolved: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    resolved.push(found.url)
    return found
  },
})
const fromOpenTelemetry = () => resolved.filter((url) => url.includes('/@opentelemetry/'))

/** Opens tracing like a role; the exporter reads its variables from the process. */
async function open(t: ExecutionContext, env: Record<string, string>) {
  const { openTracing } = await import('../../../runtime/tracing/open.ts')
  const before = { ...process.env }
  Object.assign(process.env, env)
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const tracing = await openTracing({ role: 'api', instance: 'one', env, log })
  process.env = before
  t.teardown(tracing.stop)
  return { tracing, lines }
}

const place = () => requestPlace(randomUUID())

function recordMany(tracing: Tracing, count: number): void {
  for (let i = 0; i < count; i += 1) {
    tracing.record({ name: 'some', place: place(), start: 1_000, end: 2_000 })
  }
}

test.serial('a role without a collector loads no OpenTelemetry and calls no server', async (t) => {
  const { noTracing } = await import('../../../runtime/tracing/tracing.ts')
  const collector = await startOtlpReceiver()
  t.teardown(collector.close)
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...others } = collector.env
  for (const env of [
    {},
    others,
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_SERVICE_NAME: 'farm',
      OTEL_TRACES_SAMPLER: 'always_on',
    },
    { ...collector.env, OTEL_SDK_DISABLED: 'true' },
    { ...collector.env, OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    const { tracing } = await open(t, env)
    recordMany(tracing, 10)
    await tracing.stop()
    t.is(tracing, noTracing)
  }
  t.deepEqual(fromOpenTelemetry(), [])
  t.is(collector.connections(), 0)
  const { tracing } = await open(t, collector.env)
  recordMany(tracing, 10)
  await tracing.stop()
  t.true(fromOpenTelemetry().length > 0)
  t.true(collector.connections() > 0)
})

test.serial(
  'spans reach the collector with their places, failures, events and links',
  async (t) => {
    const collector = await startOtlpReceiver()
    t.teardown(collector.close)
    const { tracing, lines } = await open(t, { ...collector.env, OTEL_SERVICE_NAME: 'our-farm' })
    const jobId = randomUUID()
    const job = jobPlace({ jobId, bulkId: null })
    const bulk = place()
    const start = new Date('2026-01-01T00:00:00.250Z')
    tracing.record({
      ...{ name: 'job', place: job, links: [bulk], failure: 'media_invalid' },
      ...{
        start,
        end: start.getTime() + 1_500,
        attributes: { 'farm.frames': 3, absent: undefined },
      },
    })
    const attempt = attemptPlace({ jobId, stage: 'render', taskId: randomUUID(), attempt: 2 })
    const span = tracing.begin({ name: 'attempt render', place: attempt })
    t.true(span.isRecording)
    const told = new FarmError('disk_full', 'words that a customer wrote')
    const full = span.part('upload', async (part) => {
      part.event('slow frame', { 'farm.frame': 7 }, Date.now())
      throw told
    })
    t.is(await t.throwsAsync(full), told)
    span.end()
    await tracing.stop()

    t.deepEqual(lines, [])
    const named = Object.fromEntries(collector.spans.map((each) => [each.name, each]))
    t.like(named.job, {
      ...{ service: 'our-farm', ...job, start: start.getTime(), end: start.getTime() + 1_500 },
      ...{ failure: 'media_invalid', events: [] },
    })
    t.deepEqual(named.job?.attributes, { 'farm.frames': 3, 'error.type': 'media_invalid' })
    t.like(named.job?.links[0], { traceId: bulk.traceId, spanId: bulk.spanId })
    t.like(named.job?.resource, { 'farm.role': 'api', 'service.instance.id': 'one' })
    t.like(named['attempt render'], { ...attempt, failure: '' })
    t.like(named.upload, {
      ...{ traceId: traceIdOf(jobId), parentId: attempt.spanId, failure: 'disk_full' },
      events: [{ name: 'slow frame', attributes: { 'farm.frame': 7 } }],
    })
    t.false(collector.bodies.join().includes('customer'))
  },
)

test.serial('every role keeps the same share of all traces, whole', async (t) => {
  const collector = await startOtlpReceiver()
  t.teardown(collector.close)
  const third = { ...collector.env, OTEL_TRACES_SAMPLER_ARG: '0.33' }
  const api = await open(t, { ...third, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' })
  const worker = await open(t, { ...third, OTEL_TRACES_SAMPLER: 'traceidratio' })
  const jobs = Array.from({ length: 1_000 }, () => randomUUID())
  const kept = jobs.filter((jobId) => api.tracing.keeps(jobId))
  t.true(kept.length > 250 && kept.length < 410, `${kept.length}`)
  for (const jobId of jobs) {
    t.is(worker.tracing.keeps(jobId), api.tracing.keeps(jobId))
    const attempt = { jobId, stage: 'bake', taskId: jobId, attempt: 1 } as const
    const span = worker.tracing.begin({ name: 'attempt bake', place: attemptPlace(attempt) })
    t.is(span.isRecording, api.tracing.keeps(jobId))
    span.end()
    const job = jobPlace({ jobId, bulkId: null })
    api.tracing.record({ name: 'job', place: job, start: 1, end: 2 })
  }
  await Promise.all([api.tracing.stop(), worker.tracing.stop()])
  const sent = new Set(collector.spans.map(({ traceId }) => traceId))
  t.deepEqual([...sent].toSorted(), kept.map(traceIdOf).toSorted())
  t.is(collector.spans.length, 2 * kept.length)
})

test.serial('a sampler follows its variable; an unknown one keeps all', async (t) => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const keepsWith = async (sampler: Record<string, string>) => {
    const { tracing, lines } = await open(t, { ...env, ...sampler })
    return { keeps: tracing.keeps('a job'), lines }
  }
  t.false((await keepsWith({ OTEL_TRACES_SAMPLER: 'always_off' })).keeps)
  t.false((await keepsWith({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).keeps)
  t.like(await keepsWith({ OTEL_TRACES_SAMPLER: 'always_on' }), {
    keeps: true,
    lines: { length: 0 },
  })
  const unknown = await keepsWith({ OTEL_TRACES_SAMPLER: 'jaeger_remote' })
  t.true(unknown.keeps)
  t.regex(String(unknown.lines[0]?.trouble), /OTEL_TRACES_SAMPLER must .* Got jaeger_remote/)
  const wrong = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }
  const half = await keepsWith(wrong)
  t.true(half.keeps)
  t.regex(String(half.lines[0]?.trouble), /OTEL_TRACES_SAMPLER_ARG must .* Got half/)
})

test.serial('a collector that is away costs one warning', async (t) => {
  const { tracing, lines } = await open(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
  })
  recordMany(tracing, 100)
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  recordMany(tracing, 5_000)
  await tracing.stop()
  t.is(lines.length, 1)
  t.like(lines[0], { level: 40, msg: 'spans may be lost' })
})

test.serial('a role ends although its collector never answers', async (t) => {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const { tracing } = await open(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000000',
  })
  recordMany(tracing, 100)
  const asked = once(server, 'request')
  await tracing.stop()
  await asked
  t.pass()
})

test.serial('the queue for a slow collector is bounded', async (t) => {
  const taken: number[] = []
  const { promise: open4business, resolve: answer } = Promise.withResolvers<void>()
  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    taken.push(text.split('"spanId"').length - 1)
    await open4business
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { tracing } = await open(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_MAX_QUEUE_SIZE: '1000',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100',
  })
  recordMany(tracing, 100)
  while (taken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  recordMany(tracing, 20_000)
  answer()
  await tracing.stop()
  const sum = taken.reduce((all, spans) => all + spans, 0)
  t.true(sum <= 1_100, `${sum}`)
})
