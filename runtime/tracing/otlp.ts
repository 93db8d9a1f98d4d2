import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { FarmError } from '../../core/errors.ts'
import { type Env, readInteger } from '../env.ts'
import type { Log } from '../log.ts'
import { openDiagnostics } from './exporter-diagnostics.ts'
import { type SpanPlace, traceIdOf } from './places.ts'
import { samplerOf } from './sampler.ts'
import type { NewSpan, RunningSpan, Tracing } from './tracing.ts'

const stopMs = 1_000

/** Gives the next span the requested ids. Spans are made synchronously, so no two mix. */
class ChosenIds implements IdGenerator {
  next: SpanPlace = { traceId: '', spanId: '' }
  generateTraceId = () => this.next.traceId
  generateSpanId = () => this.next.spanId
}

/**
 * Tracing over OTLP/HTTP. The queue is bounded and drops what exceeds it, so an absent or slow
 * collector costs a warning now and then and nothing else.
 */
export async function openOtlp({
  role,
  instance = randomUUID(),
  env,
  log,
}: {
  role: string
  instance?: string
  env: Env
  log: Log
}): Promise<Tracing> {
  const trouble = openDiagnostics(log)
  const sampler = samplerOf(env, trouble)
  const ids = new ChosenIds()
  const provider = new TracerProvider({
    resource: resourceOf({ role, instance }),
    sampler,
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({ exporter: await exporterOf(env, trouble), ...batchesOf(env) }),
    ],
  })
  const tracer = provider.getTracer('render-farm')

  /** Samples by the trace's id, which every role knows, as the root of the trace would. */
  const keepsTrace = (traceId: string) => {
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }

  const contextOf = ({ traceId, parentId }: SpanPlace) => {
    if (parentId === undefined) return ROOT_CONTEXT
    const traceFlags = keepsTrace(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE
    const parent = { traceId, spanId: parentId, traceFlags, isRemote: true }
    return trace.setSpanContext(ROOT_CONTEXT, parent)
  }

  function start({ name, place, kind, ...span }: NewSpan, at?: Date | number): Span {
    ids.next = place
    const options = {
      kind: kind === undefined ? SpanKind.INTERNAL : spanKinds[kind],
      ...(span.attributes && { attributes: span.attributes }),
      ...(at !== undefined && { startTime: at }),
      links: (span.links ?? []).map((link) => ({
        context: { ...link, traceFlags: TraceFlags.NONE, isRemote: true },
      })),
    }
    return tracer.startSpan(name, options, contextOf(place))
  }

  function running(span: Span): RunningSpan {
    const { traceId, spanId: parentId } = span.spanContext()
    return {
      isRecording: span.isRecording(),
      ids: { trace_id: traceId, span_id: parentId },
      set: (attributes) => void span.setAttributes(attributes),
      event: (name, attributes, at) => void span.addEvent(name, attributes, at),
      async part(name, work, attributes = {}) {
        const place = { traceId, spanId: randomBytes(8).toString('hex'), parentId }
        const part = running(start({ name, place, attributes }))
        try {
          const done = await work(part)
          part.end()
          return done
        } catch (error) {
          part.end(error instanceof FarmError ? error.code : 'internal')
          throw error
        }
      },
      end: (failure) => end(span, failure),
    }
  }

  return {
    keeps: (id) => keepsTrace(traceIdOf(id)),
    record: ({ start: began, end: ended, failure, ...span }) =>
      end(start(span, began), failure, ended),
    begin: (span) => running(start(span)),
    async stop() {
      const sent = provider.shutdown().catch(trouble)
      await Promise.race([sent, sleep(stopMs, undefined, { ref: false })])
    },
  }
}

const spanKinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

/** Records the error's code only: its text may hold a customer's words. */
function end(span: Span, failure: string | undefined, at?: Date | number): void {
  if (failure !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
    span.setAttribute('error.type', failure)
  }
  span.end(at)
}

/** Identity of the role. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it. */
function resourceOf({ role, instance }: { role: string; instance: string }) {
  return resourceFromAttributes({
    'service.name': `farm-${role}`,
    'service.instance.id': instance,
    'host.name': hostname(),
    'process.pid': process.pid,
    'farm.role': role,
  }).merge(detectResources({ detectors: [envDetector] }))
}

/** The exporter reads its own variables: endpoints, headers, certificates, compression, time-out. */
async function exporterOf(env: Env, trouble: (what: unknown) => void): Promise<SpanExporter> {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL
  if (protocol === 'grpc') {
    const rule = 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.'
    trouble(`${rule} Got grpc; http/protobuf is spoken instead, to port 4318 as a rule`)
  }
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter()
}

/**
 * Reads OpenTelemetry's own variables, with its defaults: about 1 MB is queued at most. @throws EnvError
 */
function batchesOf(env: Env) {
  const limits = (fallback: number) => ({ min: 1, max: 100_000, fallback })
  return {
    maxQueueSize: readInteger(env, 'OTEL_BSP_MAX_QUEUE_SIZE', limits(2_048)),
    maxExportBatchSize: readInteger(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', limits(512)),
    scheduledDelayMillis: readInteger(env, 'OTEL_BSP_SCHEDULE_DELAY', limits(5_000)),
    exportTimeoutMillis: readInteger(env, 'OTEL_BSP_EXPORT_TIMEOUT', limits(30_000)),
  }
}
