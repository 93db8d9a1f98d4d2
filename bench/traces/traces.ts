import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SentSpan, startOtlpReceiver } from '../../infra/local/otlp-receiver.ts'
import { createLog } from '../../runtime/log.ts'
import { openTracing } from '../../runtime/tracing/open.ts'
import { jobPlace, traceIdOf } from '../../runtime/tracing/places.ts'
import { secondsOf, showSpread, showTable, spreadOf } from '../statistics.ts'
import { type Job, startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { traceGantt } from './gantt.ts'
import { processorSeconds } from './processor-seconds.ts'

/** Shortest polling interval of a customer's program; each poll is a span. */
const pollMs = 250
/** Roles flush their spans after five seconds. */
const flushMs = 6_000
const spansAtOnce = 500
const rounds = 20

type Measured = { readonly wall: number[]; readonly processor: number[] }

/**
 * Measures the cost of tracing: the same films in turn through two warm farms, one of which sends
 * its traces to a collector. It also measures one span, and draws one trace.
 */
export async function benchTraces(repeats: number): Promise<void> {
  const collector = await startOtlpReceiver()
  const { OTEL_BSP_SCHEDULE_DELAY: _, ...env } = collector.env
  const farms: WarmFarm[] = []
  try {
    const plain = await startWarmFarm({ pollMs })
    farms.push(plain)
    const traced = await startWarmFarm({ pollMs, env })
    farms.push(traced)
    for (const farm of farms) await farm.render(film('warm up'))
    const without: Measured = { wall: [], processor: [] }
    const withTraces: Measured = { wall: [], processor: [] }
    let last: Job | undefined
    for (let run = 0; run < repeats; run += 1) {
      await measure(plain, film(`run ${run}`), without)
      last = await measure(traced, film(`run ${run}`), withTraces)
    }
    await sleep(flushMs)
    const traceId = traceIdOf(last?.id ?? '')
    const trace = collector.spans.filter((span) => span.traceId === traceId)
    print({ without, withTraces, trace })
    Object.assign(process.env, env)
    process.stdout.write(
      `\nOne span, made, sent and taken: ${await microsecondsOfSpan()} µs of processor\n`,
    )
  } finally {
    await Promise.all(farms.map((farm) => farm.stop()))
    collector.close()
  }
}

async function measure(farm: WarmFarm, payload: object, into: Measured): Promise<Job> {
  const before = await processorSeconds(farm.data)
  let job: Job | undefined
  const wall = await secondsOf(async () => {
    job = await farm.render(payload)
  })
  // Waits for the flush, so that sending the job's spans is included.
  await sleep(flushMs)
  into.wall.push(wall)
  into.processor.push((await processorSeconds(farm.data)) - before)
  if (job === undefined) throw new Error('A film must have been rendered. None was')
  return job
}

function film(words: string) {
  return {
    ...{ name: words, width: 640, height: 360 },
    scenes: ['#203040', '#405060'].map((backgroundColor, n) => ({
      ...{ id: `s${n}`, duration: 3, backgroundColor },
      visuals: [
        {
          ...{ type: 'TEXT', html: `<b>${words} ${n}</b>`, position: 'center-center' },
          ...{ enterEnd: 1, enterAnimation: 'slideleft' },
        },
      ],
    })),
  }
}

/** Returns an upper bound for one span: its collector runs in this process, too. */
async function microsecondsOfSpan(): Promise<string> {
  const tracing = await openTracing({ role: 'bench', env: process.env, log: createLog('bench') })
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < spansAtOnce; i += 1) {
      const place = jobPlace({ jobId: randomUUID(), bulkId: null })
      const attributes = { 'farm.job.id': place.traceId, 'farm.frames': i }
      tracing.record({ name: 'job', place, start: Date.now(), end: Date.now(), attributes })
    }
    await sleep(100)
  }
  await tracing.stop()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) / (rounds * spansAtOnce)).toFixed(1)
}

function print({
  without,
  withTraces,
  trace,
}: {
  without: Measured
  withTraces: Measured
  trace: readonly SentSpan[]
}): void {
  const row = (name: string, { wall, processor }: Measured) => [
    name,
    showSpread(spreadOf(wall), 2),
    showSpread(spreadOf(processor), 2),
  ]
  const header = ['a 6-second 640x360 film', 'POST to completed, s', 'processor of the farm, s']
  const rows = [row('without traces', without), row('with traces', withTraces)]
  process.stdout.write(`\nMedian (min .. max) of ${without.wall.length}, in turns\n`)
  process.stdout.write(`${showTable(header, rows)}\n\n${trace.length} spans:\n`)
  process.stdout.write(`${traceGantt(trace)}\n`)
}
