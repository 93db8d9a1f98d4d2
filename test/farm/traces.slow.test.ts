import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type SentSpan, startOtlpReceiver } from '../../infra/local/otlp-receiver.ts'
import { traceIdOf } from '../../runtime/tracing/places.ts'
import { startReceiver, until } from '../workflows/webhooks/receiver.ts'
import { serveMedia, startFarm } from './running-farm.ts'

const collector = await startOtlpReceiver()
const media = await serveMedia({})
const receiver = await startReceiver()
const env = { ...collector.env, FARM_TRUSTED_HOSTS: `${media.hosts},${receiver.host}` }
const farm = await startFarm({ workers: 2, apart: true, env })
test.after.always(async () => {
  await farm.stop()
  await receiver.stop()
  collector.close()
  media.close()
})

const words = 'Confidential words'

/**
 * Two scenes of a moving text: segments to paint, frames that repeat, two shards, a film to
 * assemble.
 */
function filmOf(name: string) {
  const moving = { enterEnd: 0.9, enterAnimation: 'slideleft', position: 'center-center' }
  return {
    ...{ name, width: 1920, height: 1080 },
    scenes: ['#123456', '#654321'].map((backgroundColor, n) => ({
      ...{ id: `s${n}`, duration: 2, backgroundColor },
      visuals: [{ type: 'TEXT', html: `<b>${words} ${n}</b>`, ...moving }],
    })),
  }
}

/** Waits for a whole trace: each role sends its spans by itself. */
async function traceOf(traceId: string, root: string): Promise<Trace> {
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId)
  const isWhole = (spans: readonly SentSpan[]) => {
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const named = (what: string) => spans.filter(({ name }) => name.startsWith(what))
    const tasks = named('stage').reduce(
      (all, each) => all + Number(each.attributes['farm.tasks']),
      0,
    )
    const isTasksWhole = named('attempt').length >= tasks && named('wait').length >= tasks
    const parentsKnown = spans.every(({ parentId }) => parentId === '' || ids.has(parentId))
    return parentsKnown && isTasksWhole && spans.some(({ name }) => name === root)
  }
  for (const deadline = Date.now() + 60_000; !isWhole(ofTrace()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(`No whole trace:\n${JSON.stringify(ofTrace())}`)
  }
  return new Map(ofTrace().map((span) => [span.spanId, span]))
}

type Trace = ReadonlyMap<string, SentSpan>

/** Path of each span from the root, by names. */
function pathsOf(trace: Trace): string[] {
  const pathOf = ({ name, parentId }: SentSpan): string => {
    const parent = trace.get(parentId)
    return parent === undefined ? name : `${pathOf(parent)} > ${name}`
  }
  return [...new Set([...trace.values()].map(pathOf))].toSorted()
}

/**
 * Checks that spans lie within their parents. Only a job outlasts its request, and its announcement
 * the job.
 */
function eachIsWithinItsParent(t: ExecutionContext, trace: Trace): void {
  const roundingMs = 2
  for (const { name, start, end, parentId } of trace.values()) {
    const parent = trace.get(parentId)
    t.true(end >= start, name)
    if (parent === undefined) continue
    t.true(start >= parent.start - roundingMs, `${name} in ${parent.name}`)
    if (name === 'job' || name === 'bulk' || name === 'webhook') continue
    t.true(end <= parent.end + roundingMs, `${name} in ${parent.name}`)
  }
}

function servicesOf(trace: Trace): string[] {
  return [...new Set([...trace.values()].map(({ service }) => service))].toSorted()
}

test.serial('a job is one trace through all roles, from request to frames', async (t) => {
  const { job } = await farm.render(filmOf('one'))
  const trace = await traceOf(traceIdOf(job.id), 'job')
  t.deepEqual(servicesOf(trace), ['farm-api', 'farm-scheduler', 'farm-worker', 'farm-workflows'])
  const request = 'POST /api/render/api-key'
  const inStage = (stage: string, kind: string, ...parts: string[]) => [
    `${request} > job > stage ${stage}`,
    `${request} > job > stage ${stage} > wait ${kind}`,
    `${request} > job > stage ${stage} > attempt ${kind}`,
    ...parts.map((part) => `${request} > job > stage ${stage} > attempt ${kind} > ${part}`),
  ]
  const wanted = [
    request,
    `${request} > job`,
    ...['resolve', 'plan', 'settle'].map((stage) => `${request} > job > stage ${stage}`),
    ...inStage('bake', 'bake', 'download', 'bake', 'upload'),
    ...inStage('render', 'render', 'download', 'segment', 'upload'),
    ...inStage('assemble', 'assemble', 'download', 'join', 'sound', 'thumbnail', 'upload'),
  ]
  // Lane spans exist only where a node had more work than lanes.
  const paths = pathsOf(trace).filter((path) => !path.endsWith(' > lane'))
  t.deepEqual(paths, wanted.toSorted())
  eachIsWithinItsParent(t, trace)

  const spans = [...trace.values()]
  t.like(spans.find(({ name }) => name === 'job')?.attributes, {
    ...{ 'farm.job.id': job.id, 'farm.job.state': 'completed', 'farm.frames': 120 },
  })
  const segments = spans.filter(({ name }) => name === 'segment')
  const sum = (key: string) => segments.reduce((all, each) => all + Number(each.attributes[key]), 0)
  t.is(sum('farm.frames'), 120)
  t.is(sum('farm.frames.painted') + sum('farm.frames.repeated'), 120)
  t.true(sum('farm.frames.repeated') > 60)
  for (const { events, start, end } of segments) {
    t.true(events.length > 0 && events.length <= 3)
    for (const { name, at } of events) {
      t.is(name, 'slow frame')
      t.true(at >= start - 2 && at <= end + 2)
    }
  }
})

test.serial('a job whose work is already done says so in its trace', async (t) => {
  const { job } = await farm.render(filmOf('one'))
  const trace = await traceOf(traceIdOf(job.id), 'job')
  const spans = [...trace.values()]
  t.like(spans.find(({ name }) => name === 'job')?.attributes, { 'farm.frames.reused': 120 })
  t.false(spans.some(({ name }) => name === 'segment' || name === 'attempt bake'))
  eachIsWithinItsParent(t, trace)
})

test.serial('a failed job’s trace says where it failed, and the code', async (t) => {
  const src = media.at('secret-path.png?token=hush')
  const id = await farm.submit({ ...filmOf('two'), visuals: [{ type: 'IMAGE', src }] })
  t.is((await farm.finished(id)).state, 'failed')
  const trace = await traceOf(traceIdOf(id), 'job')
  const failed = [...trace.values()].filter(({ failure }) => failure !== '')
  const code = (await farm.job(id)).error?.code
  t.true(failed.some(({ name, failure }) => name === 'job' && failure === code))
  t.true(failed.some(({ name }) => name === 'fetch'))
})

test.serial('each job of a bulk has its trace, linked to the bulk', async (t) => {
  const body = { payload: filmOf('bulk'), items: [{ name: 'left' }, { name: 'right' }] }
  const reply = await farm.call('POST', '/api/render/bulk/api-key', body)
  const { bulkId, jobIds } = reply.body as { bulkId: string; jobIds: string[] }
  const bulk = await traceOf(traceIdOf(bulkId), 'bulk')
  t.deepEqual(pathsOf(bulk), [
    'POST /api/render/bulk/api-key',
    'POST /api/render/bulk/api-key > bulk',
  ])
  eachIsWithinItsParent(t, bulk)
  const whole = [...bulk.values()].find(({ name }) => name === 'bulk')
  t.like(whole?.attributes, { 'farm.jobs': 2, 'farm.jobs.completed': 2 })
  t.is(jobIds.length, 2)
  for (const jobId of jobIds) {
    const trace = await traceOf(traceIdOf(jobId), 'job')
    const job = [...trace.values()].find(({ name }) => name === 'job')
    t.is(job?.parentId, '')
    t.like(job?.links, [{ traceId: whole?.traceId, spanId: whole?.spanId }])
    t.true(servicesOf(trace).includes('farm-worker'))
    eachIsWithinItsParent(t, trace)
  }
})

test.serial('each attempt to deliver a webhook is in its job’s trace', async (t) => {
  const payload = filmOf('told')
  const ids = await Promise.all(
    ['/ok', '/fail'].map(async (path) => {
      const body = { payload, webhookUrl: receiver.at(path) }
      const reply = await farm.call('POST', '/api/render/api-key', body)
      return (reply.body as { jobId: string }).jobId
    }),
  )
  const attemptsOf = (jobId: string) => {
    const ofJob = collector.spans.filter(({ traceId }) => traceId === traceIdOf(jobId))
    return ofJob.filter(({ name }) => name === 'webhook')
  }
  await until(() => ids.every((id) => attemptsOf(id).length > 0), 'attempts in both traces')
  const [taken, refused] = ids.map((id) => attemptsOf(id)[0])
  for (const [index, id] of ids.entries()) {
    const [received] = receiver.of(index === 0 ? '/ok' : '/fail')
    const span = index === 0 ? taken : refused
    const trace = await traceOf(traceIdOf(id), 'job')
    t.is(trace.get(span?.parentId ?? '')?.name, 'job')
    t.like(span, { service: 'farm-workflows', kind: 3 })
    t.like(span?.attributes, {
      ...{ 'farm.job.id': id, 'farm.webhook.event': 'render.completed' },
      ...{ 'farm.webhook.attempt': 1, 'farm.webhook.delivery.id': received?.deliveryId },
      'http.response.status_code': index === 0 ? 200 : 500,
    })
  }
  t.is(taken?.failure, '')
  t.is(refused?.failure, 'answer_refused')
})

test.serial('a log line about a job names its trace, in every role', async (t) => {
  const id = await farm.submit(filmOf('logged'))
  await farm.finished(id)
  for (const role of ['scheduler', 'worker-1', 'worker-2']) {
    const log = await readFile(join(farm.data, 'logs', `${role}.log`), 'utf8')
    const lines = log
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    const about = lines.filter(({ job }) => typeof job === 'string' && job !== '')
    for (const { job, trace_id } of about) t.is(trace_id, traceIdOf(job))
    if (role === 'scheduler') t.true(about.some(({ job }) => job === id))
  }
})

test.serial('nothing sent holds an address, a key or a customer’s words', (t) => {
  const sent = collector.bodies.join('\n')
  t.true(sent.includes('attempt render'))
  for (const secret of [words, 'secret-path', 'hush', 'signature', farm.apiKey, 'left', '://']) {
    t.false(sent.toLowerCase().includes(secret.toLowerCase()), secret)
  }
})
